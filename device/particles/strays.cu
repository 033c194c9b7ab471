// SPDX-License-Identifier: GPL-3.0-or-later
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "device/base/blocks_for.cuh"
#include "device/particles/strays.cuh"
#include "host/domains/strays.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 256;

struct IsStray {
  const Vec3d* position;
  Box domain;
  __device__ bool operator()(std::uint32_t place) const { return !lies_in(domain, position[place]); }
};

__global__ void owner_kernel(const Vec3d* position, const std::uint32_t* place, std::size_t n, DomainCuts cuts,
                             std::uint32_t* owner) {
  const std::size_t k = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (k >= n) return;
  const Vec3d x = position[place[k]];
  const bool finite = isfinite(x.x) && isfinite(x.y) && isfinite(x.z);
  owner[k] = finite ? cuts.owner(x) : static_cast<std::uint32_t>(cuts.ranks());
}

__global__ void first_kernel(const std::uint32_t* owner, std::size_t n, std::size_t ranks, std::uint32_t* first) {
  const std::size_t r = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (r > ranks + 1) return;
  std::size_t lo = 0, hi = n;
  while (lo < hi) {
    const std::size_t middle = (lo + hi) / 2;
    if (owner[middle] < r) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  first[r] = static_cast<std::uint32_t>(lo);
}

__global__ void pack_kernel(StrayArrays kept, const std::uint32_t* place, std::size_t n, PackedStray* packed) {
  const std::size_t k = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (k >= n) return;
  const std::size_t p = place[k];
  const bool rungs = kept.rung != nullptr;
  packed[k] = {kept.position[p],
               kept.velocity[p],
               kept.acceleration[p],
               rungs ? kept.long_range[p] : Vec3f{},
               kept.mass[p],
               rungs ? kept.rung[p] : std::uint32_t{0},
               0};
}

__global__ void unpack_kernel(const PackedStray* packed, std::size_t first, std::size_t n, ArrivalPlaces places,
                              StrayArrays kept, std::uint32_t* index) {
  const std::size_t j = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (j >= n) return;
  const std::size_t k = first + j, behind = places.before + k - places.left;
  const bool takes = k < places.left;
  const std::size_t p = takes ? places.place[k] : behind;
  const PackedStray one = packed[j];
  index[p] = takes ? places.index[k] : static_cast<std::uint32_t>(behind);
  kept.position[p] = one.position;
  kept.velocity[p] = one.velocity;
  kept.acceleration[p] = one.acceleration;
  kept.mass[p] = one.mass;
  if (kept.rung == nullptr) return;
  kept.long_range[p] = one.long_range;
  kept.rung[p] = static_cast<std::uint8_t>(one.rung);
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
  return cub::DeviceRadixSort::SortPairs(memory, bytes, order.key, order.sorted_key, order.value, order.sorted_value,
                                         static_cast<std::int64_t>(order.n), 0, order.bits, stream.get());
}

void find_owners(const Vec3d* position, const std::uint32_t* place, std::size_t n, const DomainCuts& cuts,
                 std::uint32_t* owner, const Stream& stream) {
  if (n == 0) return;
  owner_kernel<<<blocks_for(n, threads), threads, 0, stream.get()>>>(position, place, n, cuts, owner);
  check_cuda(cudaGetLastError(), "owner_kernel");
}

void find_first(const std::uint32_t* owner, std::size_t n, std::size_t ranks, std::uint32_t* first,
                const Stream& stream) {
  first_kernel<<<blocks_for(ranks + 2, threads), threads, 0, stream.get()>>>(owner, n, ranks, first);
  check_cuda(cudaGetLastError(), "first_kernel");
}

void pack_strays(const StrayArrays& kept, const std::uint32_t* place, std::size_t n, PackedStray* packed,
                 const Stream& stream) {
  if (n == 0) return;
  pack_kernel<<<blocks_for(n, threads), threads, 0, stream.get()>>>(kept, place, n, packed);
  check_cuda(cudaGetLastError(), "pack_kernel");
}

void unpack_strays(std::span<const PackedStray> packed, std::size_t first, const ArrivalPlaces& places,
                   const StrayArrays& kept, std::uint32_t* index, const Stream& stream) {
  const std::size_t n = packed.size();
  if (n == 0) return;
  unpack_kernel<<<blocks_for(n, threads), threads, 0, stream.get()>>>(packed.data(), first, n, places, kept, index);
  check_cuda(cudaGetLastError(), "unpack_kernel");
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

template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, Vec3d*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, Vec3f*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, float*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint32_t*, const Stream&);
template void move_elements(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint8_t*, const Stream&);

}  // namespace multiwalk
