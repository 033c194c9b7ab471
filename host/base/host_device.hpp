// The only macro layer: marks inline functions that g++ and nvcc both compile.
#pragma once

#if defined(__CUDACC__)
#define MULTIWALK_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define MULTIWALK_HOST_DEVICE inline
#endif
