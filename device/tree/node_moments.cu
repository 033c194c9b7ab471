// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/blocks_for.cuh"
#include "device/tree/node_moments.cuh"
#include "host/tree/moments.hpp"

namespace multiwalk {

namespace {

constexpr unsigned moment_threads = 128;
constexpr unsigned node_threads = 8;

/// The arrays of a MomentTask.
struct MomentArrays {
  const Node* node;
  const Vec3d* position;
  const float* mass;
  Multipole* multipole;
  Cube cube;
  MovedCells moved;
};

/// Adds the sums of the eight threads of a node, always in the same order; called by all threads of the warp.
__device__ void add_lanes(MomentSum& sum) {
  for (double* x :
       {&sum.mass, &sum.first.x, &sum.first.y, &sum.first.z, &sum.xx, &sum.xy, &sum.xz, &sum.yy, &sum.yz, &sum.zz}) {
#pragma unroll
    for (unsigned step = 1; step < node_threads; step *= 2) *x += __shfl_xor_sync(~0U, *x, step);
  }
}

/// The largest of the eight threads of a node; called by all threads of the warp.
__device__ float largest_of_lanes(float x) {
#pragma unroll
  for (unsigned step = 1; step < node_threads; step *= 2) x = fmaxf(x, __shfl_xor_sync(~0U, x, step));
  return x;
}

/// How far a particle lies beyond the faces of a cell, rounded up.
__device__ float distance_beyond(Vec3d particle, Vec3d centre, double half_side) {
  const Vec3d d = particle - centre;
  return __double2float_ru(fmax(0.0, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))) - half_side));
}

template <bool moved>
__global__ void leaf_moments(const MomentArrays arrays, std::uint32_t nodes) {
  const auto n = static_cast<std::uint32_t>((std::size_t{blockIdx.x} * moment_threads + threadIdx.x) / node_threads);
  const unsigned lane = threadIdx.x % node_threads;
  const Node leaf = n < nodes ? arrays.node[n] : Node{};
  const bool mine = n < nodes && leaf.leaf();
  MomentSum sum;
  const Vec3d origin = mine ? arrays.position[leaf.first] : Vec3d{};
  const std::uint32_t count = mine ? leaf.count : 0;
  const Vec3d centre = moved && mine ? cell_centre(arrays.cube, arrays.moved.key[n], leaf.level) : Vec3d{};
  const double half = 0.5 * arrays.cube.side / static_cast<double>(std::uint64_t{1} << leaf.level);
  float spill = 0;
  for (std::uint32_t i = lane; i < count; i += node_threads) {
    const Vec3d p = arrays.position[leaf.first + i];
    sum.add(static_cast<double>(arrays.mass[leaf.first + i]), p - origin);
    if (moved) spill = fmaxf(spill, distance_beyond(p, centre, half));
  }
  add_lanes(sum);
  if (moved) spill = largest_of_lanes(spill);
  if (!mine || lane != 0) return;
  arrays.multipole[n] = sum.about_centre_of_mass(origin);
  if (moved) arrays.moved.spill[n] = spill;
}

template <bool moved>
__global__ void inner_moments(const MomentArrays arrays, std::uint32_t begin, std::uint32_t end) {
  const auto n =
      begin + static_cast<std::uint32_t>((std::size_t{blockIdx.x} * moment_threads + threadIdx.x) / node_threads);
  const unsigned lane = threadIdx.x % node_threads;
  const Node inner = n < end ? arrays.node[n] : Node{};
  const bool mine = n < end && !inner.leaf();
  MomentSum sum;
  const Vec3d origin = mine ? arrays.multipole[inner.first_child].centre_of_mass : Vec3d{};
  float spill = 0;
  if (mine && lane < inner.child_count) {
    const Multipole child = arrays.multipole[inner.first_child + lane];
    sum.add(static_cast<double>(child.mass), child.centre_of_mass - origin);
    sum.add_spread(child);
    if (moved) spill = arrays.moved.spill[inner.first_child + lane];
  }
  add_lanes(sum);
  if (moved) spill = largest_of_lanes(spill);
  if (!mine || lane != 0) return;
  arrays.multipole[n] = sum.about_centre_of_mass(origin);
  if (moved) arrays.moved.spill[n] = spill;
}

template <bool moved>
void launch_moments(const MomentTask& task, const Stream& stream) {
  const MomentArrays arrays{task.node, task.position, task.mass, task.multipole, task.cube, task.moved};
  const std::uint32_t nodes = task.level_offset.back();
  leaf_moments<moved>
      <<<blocks_for(std::size_t{nodes} * node_threads, moment_threads), moment_threads, 0, stream.get()>>>(arrays,
                                                                                                           nodes);
  check_cuda(cudaGetLastError(), "leaf_moments");
  for (std::size_t level = task.level_offset.size() - 1; level-- > 0;) {
    const std::uint32_t begin = task.level_offset[level], end = task.level_offset[level + 1];
    inner_moments<moved>
        <<<blocks_for(std::size_t{end - begin} * node_threads, moment_threads), moment_threads, 0, stream.get()>>>(
            arrays, begin, end);
    check_cuda(cudaGetLastError(), "inner_moments");
  }
}

__global__ void copy_keys(const Node* node, std::uint32_t nodes, const std::uint64_t* key, std::uint64_t* node_key) {
  const std::uint32_t n = blockIdx.x * moment_threads + threadIdx.x;
  if (n < nodes) node_key[n] = key[node[n].first];
}

__global__ void scatter_moments(const std::uint32_t* node, const Multipole* value, std::size_t count,
                                Multipole* multipole) {
  const std::size_t k = std::size_t{blockIdx.x} * moment_threads + threadIdx.x;
  if (k < count) multipole[node[k]] = value[k];
}

}  // namespace

void find_moments(const MomentTask& task, const Stream& stream) {
  // Kernels and the host read the moments with their padding.
  check_cuda(cudaMemsetAsync(task.multipole, 0, task.level_offset.back() * sizeof(Multipole), stream.get()),
             "cudaMemsetAsync");
  task.moved.spill == nullptr ? launch_moments<false>(task, stream) : launch_moments<true>(task, stream);
}

void copy_node_keys(const Node* node, std::uint32_t nodes, const std::uint64_t* key, std::uint64_t* node_key,
                    const Stream& stream) {
  copy_keys<<<blocks_for(nodes, moment_threads), moment_threads, 0, stream.get()>>>(node, nodes, key, node_key);
  check_cuda(cudaGetLastError(), "copy_keys");
}

void replace_moments(const std::uint32_t* node, const Multipole* value, std::size_t count, Multipole* multipole,
                     const Stream& stream) {
  scatter_moments<<<blocks_for(count, moment_threads), moment_threads, 0, stream.get()>>>(node, value, count,
                                                                                          multipole);
  check_cuda(cudaGetLastError(), "scatter_moments");
}

}  // namespace multiwalk
