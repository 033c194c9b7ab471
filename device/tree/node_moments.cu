// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/blocks_for.cuh"
#include "device/tree/node_moments.cuh"
#include "host/tree/moments.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 128;
constexpr unsigned node_threads = 8;

/// Adds the sums of the eight threads of a node, always in the same order; called by all threads of the warp.
__device__ void add_lanes(MomentSum& sum) {
  for (double* x :
       {&sum.mass, &sum.first.x, &sum.first.y, &sum.first.z, &sum.xx, &sum.xy, &sum.xz, &sum.yy, &sum.yz, &sum.zz}) {
#pragma unroll
    for (unsigned step = 1; step < node_threads; step *= 2) *x += __shfl_xor_sync(~0U, *x, step);
  }
}

__global__ void leaf_moments(const Node* node, std::uint32_t nodes, const Vec3d* position, const float* mass,
                             Multipole* multipole) {
  const std::uint32_t n = (blockIdx.x * threads + threadIdx.x) / node_threads;
  const unsigned lane = threadIdx.x % node_threads;
  const Node leaf = n < nodes ? node[n] : Node{};
  const bool mine = n < nodes && leaf.leaf();
  MomentSum sum;
  const Vec3d origin = mine ? position[leaf.first] : Vec3d{};
  const std::uint32_t count = mine ? leaf.count : 0;
  for (std::uint32_t i = lane; i < count; i += node_threads) {
    sum.add(static_cast<double>(mass[leaf.first + i]), position[leaf.first + i] - origin);
  }
  add_lanes(sum);
  if (mine && lane == 0) multipole[n] = sum.about_centre_of_mass(origin);
}

__global__ void inner_moments(const Node* node, std::uint32_t begin, std::uint32_t end, Multipole* multipole) {
  const std::uint32_t n = begin + (blockIdx.x * threads + threadIdx.x) / node_threads;
  const unsigned lane = threadIdx.x % node_threads;
  const Node inner = n < end ? node[n] : Node{};
  const bool mine = n < end && !inner.leaf();
  MomentSum sum;
  const Vec3d origin = mine ? multipole[inner.first_child].centre_of_mass : Vec3d{};
  if (mine && lane < inner.child_count) {
    const Multipole child = multipole[inner.first_child + lane];
    sum.add(static_cast<double>(child.mass), child.centre_of_mass - origin);
    sum.add_spread(child);
  }
  add_lanes(sum);
  if (mine && lane == 0) multipole[n] = sum.about_centre_of_mass(origin);
}

__global__ void scatter_moments(const std::uint32_t* node, const Multipole* value, std::size_t count,
                                Multipole* multipole) {
  const std::size_t k = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (k < count) multipole[node[k]] = value[k];
}

}  // namespace

void find_moments(const Node* node, std::span<const std::uint32_t> level_offset, const Vec3d* position,
                  const float* mass, Multipole* multipole, const Stream& stream) {
  const std::uint32_t nodes = level_offset.back();
  // Kernels and the host read the moments with their padding.
  check_cuda(cudaMemsetAsync(multipole, 0, nodes * sizeof(Multipole), stream.get()), "cudaMemsetAsync");
  leaf_moments<<<blocks_for(std::size_t{nodes} * node_threads, threads), threads, 0, stream.get()>>>(
      node, nodes, position, mass, multipole);
  check_cuda(cudaGetLastError(), "leaf_moments");
  for (std::size_t level = level_offset.size() - 1; level-- > 0;) {
    const std::uint32_t begin = level_offset[level], end = level_offset[level + 1];
    inner_moments<<<blocks_for(std::size_t{end - begin} * node_threads, threads), threads, 0, stream.get()>>>(
        node, begin, end, multipole);
    check_cuda(cudaGetLastError(), "inner_moments");
  }
}

void replace_moments(const std::uint32_t* node, const Multipole* value, std::size_t count, Multipole* multipole,
                     const Stream& stream) {
  scatter_moments<<<blocks_for(count, threads), threads, 0, stream.get()>>>(node, value, count, multipole);
  check_cuda(cudaGetLastError(), "scatter_moments");
}

}  // namespace multiwalk
