// SPDX-License-Identifier: GPL-3.0-or-later
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "device/base/blocks_for.cuh"
#include "device/particles/strays.cuh"
#include "host/particles/strays.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 256;

struct IsStray {
  const Vec3d* position;
  Box domain;
  __device__ bool operator()(std::uint32_t place) const { return !lies_in(domain, position[place]); }
};

template <class T>
__global__ void scatter_kernel(const std::uint32_t* place, std::size_t n, const T* part, T* values) {
  const std::size_t k = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (k < n) values[place[k]] = part[k];
}

template <class T>
__global__ void move_kernel(const std::uint32_t* from, const std::uint32_t* to, std::size_t n, T* values) {
  const std::size_t k = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (k < n) values[to[k]] = values[from[k]];
}

__global__ void renumber_kernel(std::uint32_t* index, std::size_t n, std::uint32_t first, const std::uint32_t* next) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n && index[i] >= first) index[i] = next[index[i] - first];
}

}  // namespace

cudaError_t select_strays(void* memory, std::size_t& bytes, const StraySearch& search, std::uint32_t* place,
                          std::uint32_t* count, const Stream& stream) {
  return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<std::uint32_t>(0), place, count,
                               static_cast<std::int64_t>(search.n), IsStray{search.position, search.domain},
                               stream.get());
}

cudaError_t sort_strays(void* memory, std::size_t& bytes, const StrayOrder& order, const Stream& stream) {
  return cub::DeviceRadixSort::SortPairs(memory, bytes, order.index, order.sorted_index, order.place,
                                         order.sorted_place, static_cast<std::int64_t>(order.n), 0, 32, stream.get());
}

template <class T>
void scatter(const std::uint32_t* place, std::size_t n, const T* part, T* values, const Stream& stream) {
  if (n == 0) return;
  scatter_kernel<<<blocks_for(n, threads), threads, 0, stream.get()>>>(place, n, part, values);
  check_cuda(cudaGetLastError(), "scatter_kernel");
}

template <class T>
void move_elements(const std::uint32_t* from, const std::uint32_t* to, std::size_t n, T* values, const Stream& stream) {
  if (n == 0) return;
  move_kernel<<<blocks_for(n, threads), threads, 0, stream.get()>>>(from, to, n, values);
  check_cuda(cudaGetLastError(), "move_kernel");
}

void renumber(std::uint32_t* index, std::size_t n, std::uint32_t first, const std::uint32_t* next,
              const Stream& stream) {
  if (n == 0) return;
  renumber_kernel<<<blocks_for(n, threads), threads, 0, stream.get()>>>(index, n, first, next);
  check_cuda(cudaGetLastError(), "renumber_kernel");
}

template void scatter(const std::uint32_t*, std::size_t, const Vec3d*, Vec3d*, const Stream&);
template void scatter(const std::uint32_t*, std::size_t, const Vec3f*, Vec3f*, const Stream&);
template void scatter(const std::uint32_t*, std::size_t, const float*, float*, const Stream&);
template void scatter(const std::uint32_t*, std::size_t, const std::uint32_t*, std::uint32_t*, const Stream&);
template void scatter(const std::uint32_t*, std::size_t, const std::uint8_t*, std::uint8_t*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, Vec3d*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, Vec3f*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, float*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint32_t*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint8_t*, const Stream&);

}  // namespace multiwalk
