// SPDX-License-Identifier: GPL-3.0-or-later
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "device/base/blocks_for.cuh"
#include "device/tree/sort_particles.cuh"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

namespace {

constexpr unsigned sort_threads = 256;

struct Enclose {
  __device__ Bounds operator()(const Bounds& a, const Bounds& b) const {
    return {{fmin(a.lo.x, b.lo.x), fmin(a.lo.y, b.lo.y), fmin(a.lo.z, b.lo.z)},
            {fmax(a.hi.x, b.hi.x), fmax(a.hi.y, b.hi.y), fmax(a.hi.z, b.hi.z)}};
  }
};

/// The bounds of all of the block's threads, in thread 0.
__device__ Bounds block_bounds(const Bounds& mine) {
  using Reduce = cub::BlockReduce<Bounds, sort_threads>;
  __shared__ typename Reduce::TempStorage storage;
  return Reduce(storage).Reduce(mine, Enclose{});
}

__global__ void bound_positions(const Vec3d* position, std::size_t n, Bounds* part) {
  Bounds mine{position[0], position[0]};
  for (std::size_t i = std::size_t{blockIdx.x} * sort_threads + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * sort_threads) {
    mine = Enclose{}(mine, {position[i], position[i]});
  }
  const Bounds all = block_bounds(mine);
  if (threadIdx.x == 0) part[blockIdx.x] = all;
}

__global__ void bound_parts(const Bounds* part, Bounds* result) {
  Bounds mine = part[0];
  for (unsigned i = threadIdx.x; i < bounds_parts; i += sort_threads) mine = Enclose{}(mine, part[i]);
  const Bounds all = block_bounds(mine);
  if (threadIdx.x == 0) *result = all;
}

__global__ void key_positions(const Vec3d* position, std::size_t n, Vec3d corner, double cells_per_length,
                              std::uint64_t* key, std::uint32_t* index) {
  const std::size_t i = std::size_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i >= n) return;
  key[i] = morton_key(position[i], corner, cells_per_length);
  index[i] = static_cast<std::uint32_t>(i);
}

/// The first particle of each run of equal keys sorts the run, by insertion: runs are short.
__global__ void order_runs(const std::uint64_t* key, std::size_t n, const std::uint32_t* index, std::uint32_t* order) {
  const std::size_t first = std::size_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (first + 1 >= n || key[first + 1] != key[first] || (first > 0 && key[first - 1] == key[first])) return;
  for (std::size_t i = first + 1; i < n && key[i] == key[first]; ++i) {
    const std::uint32_t moved = order[i];
    std::size_t place = i;
    for (; place > first && index[order[place - 1]] > index[moved]; --place) order[place] = order[place - 1];
    order[place] = moved;
  }
}

template <class T>
__global__ void gather_values(const std::uint32_t* order, std::size_t n, const T* values, T* sorted) {
  const std::size_t i = std::size_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i < n) sorted[i] = values[order[i]];
}

template <class T>
void launch_gather(const std::uint32_t* order, std::size_t n, const T* values, T* sorted, const Stream& stream) {
  gather_values<<<blocks_for(n, sort_threads), sort_threads, 0, stream.get()>>>(order, n, values, sorted);
  check_cuda(cudaGetLastError(), "gather_values");
}

}  // namespace

void find_bounds(const Vec3d* position, std::size_t n, Bounds* bounds, const Stream& stream) {
  bound_positions<<<bounds_parts, sort_threads, 0, stream.get()>>>(position, n, bounds + 1);
  check_cuda(cudaGetLastError(), "bound_positions");
  bound_parts<<<1, sort_threads, 0, stream.get()>>>(bounds + 1, bounds);
  check_cuda(cudaGetLastError(), "bound_parts");
}

void make_keys(const Vec3d* position, std::size_t n, const Cube& cube, std::uint64_t* key, std::uint32_t* index,
               const Stream& stream) {
  key_positions<<<blocks_for(n, sort_threads), sort_threads, 0, stream.get()>>>(position, n, cube.corner,
                                                                                key_cells_per_length(cube), key, index);
  check_cuda(cudaGetLastError(), "key_positions");
}

bool sort_keys(SortPair<std::uint64_t>& key, SortPair<std::uint32_t>& index, std::size_t n, Scratch& scratch,
               const Stream& stream) {
  cub::DoubleBuffer<std::uint64_t> keys(key.result.data(), key.other.data());
  cub::DoubleBuffer<std::uint32_t> indices(index.result.data(), index.other.data());
  const bool sorted = scratch(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, indices, n, 0, 3 * key_levels, stream.get());
  });
  if (!sorted) return false;
  if (keys.Current() != key.result.data()) std::swap(key.result, key.other);
  if (indices.Current() != index.result.data()) std::swap(index.result, index.other);
  return true;
}

void gather(const std::uint32_t* order, std::size_t n, const Vec3d* values, Vec3d* sorted, const Stream& stream) {
  launch_gather(order, n, values, sorted, stream);
}
void gather(const std::uint32_t* order, std::size_t n, const Vec3f* values, Vec3f* sorted, const Stream& stream) {
  launch_gather(order, n, values, sorted, stream);
}
void gather(const std::uint32_t* order, std::size_t n, const float* values, float* sorted, const Stream& stream) {
  launch_gather(order, n, values, sorted, stream);
}
void gather(const std::uint32_t* order, std::size_t n, const std::uint32_t* values, std::uint32_t* sorted,
            const Stream& stream) {
  launch_gather(order, n, values, sorted, stream);
}

void gather(const std::uint32_t* order, std::size_t n, const std::uint8_t* values, std::uint8_t* sorted,
            const Stream& stream) {
  launch_gather(order, n, values, sorted, stream);
}

void order_ties(const std::uint64_t* key, std::size_t n, const std::uint32_t* index, std::uint32_t* order,
                const Stream& stream) {
  order_runs<<<blocks_for(n, sort_threads), sort_threads, 0, stream.get()>>>(key, n, index, order);
  check_cuda(cudaGetLastError(), "order_runs");
}

}  // namespace multiwalk
