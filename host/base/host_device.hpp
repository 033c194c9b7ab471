// SPDX-License-Identifier: GPL-3.0-or-later
// The only macro layer: marks inline functions that g++ and nvcc both compile, and picks what differs on the device.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define MULTIWALK_HOST_DEVICE __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define MULTIWALK_HOST_DEVICE inline __attribute__((always_inline))
#else
#define MULTIWALK_HOST_DEVICE inline
#endif

// For functions with loops for vector units: they are compiled for several instruction sets, of which the loader picks
// one. Results have the same bits with all of them, since multiplications and additions are never fused. Left out under
// sanitizers, which would instrument the resolvers; these run too early for that.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__CUDACC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define MULTIWALK_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define MULTIWALK_VECTOR_CLONES
#endif

namespace multiwalk {

MULTIWALK_HOST_DEVICE double inverse_sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return rsqrt(x);
#else
  return 1.0 / std::sqrt(x);
#endif
}

/// Relative error below 2e-7 on every back end.
MULTIWALK_HOST_DEVICE float inverse_sqrt(float x) {
#if defined(__CUDA_ARCH__)
  return rsqrtf(x);
#else
  return 1.0F / std::sqrt(x);
#endif
}

/// As inverse_sqrt, but 0 for a coincident pair: squared distances below 1e-22 (float) or 0 (double).
MULTIWALK_HOST_DEVICE double inverse_sqrt_or_zero(double x) {
  return x > 0.0 ? inverse_sqrt(x) : 0.0;
}
MULTIWALK_HOST_DEVICE float inverse_sqrt_or_zero(float x) {
  return x > 1e-22F ? inverse_sqrt(x) : 0.0F;
}

/// exp(x); in single precision within 1e-6 for -30 < x <= 0.
MULTIWALK_HOST_DEVICE double exp_of(double x) {
  return std::exp(x);
}
MULTIWALK_HOST_DEVICE float exp_of(float x) {
#if defined(__CUDA_ARCH__)
  return __expf(x);
#else
  return std::exp(x);
#endif
}

/// `value` where x <= limit, else 0, whatever `value` is there.
template <class T>
MULTIWALK_HOST_DEVICE T zero_beyond(T value, T x, T limit) {
  return x <= limit ? value : T(0);
}

template <class T>
MULTIWALK_HOST_DEVICE T at_least_zero(T x) {
  return x > T(0) ? x : T(0);
}

/// The bits of a single-precision number, and back.
MULTIWALK_HOST_DEVICE std::uint32_t bits_of(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(x);
#else
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}
MULTIWALK_HOST_DEVICE float number_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

/// Writes past the caches where the machine can: for arrays too large for them that nobody reads soon. Other threads
/// see the value after a sequentially consistent fence.
inline void store_uncached(double* to, double value) {
#if defined(__x86_64__) && !defined(__CUDACC__)
  long long bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  __builtin_ia32_movnti64(reinterpret_cast<long long*>(to), bits);
#else
  *to = value;
#endif
}

inline void store_uncached(float* to, float value) {
#if defined(__x86_64__) && !defined(__CUDACC__)
  int bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  __builtin_ia32_movnti(reinterpret_cast<int*>(to), bits);
#else
  *to = value;
#endif
}

/// Whether a squared softening keeps a coincident pair finite in single precision; a smaller one counts as none.
MULTIWALK_HOST_DEVICE bool is_softened(double softening2) {
  return softening2 > 1e-22;
}
/// Whether it does so for pairs in double precision.
MULTIWALK_HOST_DEVICE bool is_softened_in_double(double softening2) {
  return softening2 > 1e-120;
}

}  // namespace multiwalk
