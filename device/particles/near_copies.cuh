// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of a periodic box in which the particles of a thread block may cross the light. For kernels that are compiled
// without fused multiply-adds: images have the host's bits.
#pragma once

#include <cstddef>
#include <cub/block/block_reduce.cuh>

#include "host/particles/kick.hpp"
#include "host/sky/passage.hpp"

namespace multiwalk {

inline constexpr unsigned threads_of_passage = 256;

/// A thread's particle; no particle: mine is false.
struct PassingParticle {
  bool mine = false;
  Vec3d kept, x;  ///< as kept, and in the box
  Vec3f velocity;
  double way = 0;  ///< length of the drift
};

__device__ inline PassingParticle passing_particle(const LightSweep& light, const Vec3d* position,
                                                   const Vec3f* velocity, std::size_t n) {
  PassingParticle p;
  const std::size_t i = std::size_t{blockIdx.x} * threads_of_passage + threadIdx.x;
  p.mine = i < n;
  if (!p.mine) return p;
  p.kept = position[i];
  p.velocity = velocity[i];
  p.x = in_box(p.kept, light.period);
  p.way = norm(light.factor * widened(p.velocity));
  return p;
}

/// The corners of the box around some particles, and their longest way.
struct PassingReach {
  Vec3d lo, hi;
  double way;
};

struct EncloseReaches {
  __device__ static Vec3d least(Vec3d a, Vec3d b) { return {fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)}; }
  __device__ static Vec3d most(Vec3d a, Vec3d b) { return {fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}; }
  __device__ PassingReach operator()(const PassingReach& a, const PassingReach& b) const {
    return {least(a.lo, b.lo), most(a.hi, b.hi), fmax(a.way, b.way)};
  }
};

/// The reach of the block's particles, for every thread.
__device__ inline PassingReach reach_of_block(const PassingParticle& p) {
  using Reduce = cub::BlockReduce<PassingReach, threads_of_passage>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ cub::Uninitialized<PassingReach> all;
  const Vec3d none{INFINITY, INFINITY, INFINITY};
  const PassingReach mine = p.mine ? PassingReach{p.x, p.x, p.way} : PassingReach{none, -none, 0};
  const PassingReach total = Reduce(storage).Reduce(mine, EncloseReaches{});
  if (threadIdx.x == 0) all.Alias() = total;
  __syncthreads();
  return all.Alias();
}

/// Every thread calls act(copy) for each of the copies in which a particle of the block may pass.
template <class Act>
__device__ void for_each_near_copy(const LightSweep& light, const PassageCopy* copy, unsigned copies,
                                   const PassingReach& reach, const Act& act) {
  __shared__ unsigned near[threads_of_passage];
  __shared__ unsigned count;
  for (unsigned first = 0; first < copies; first += threads_of_passage) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const unsigned c = first + threadIdx.x;
    if (c < copies && may_pass(light, copy[c], reach.lo, reach.hi, reach.way)) near[atomicAdd(&count, 1U)] = c;
    __syncthreads();
    for (unsigned k = 0; k < count; ++k) act(copy[near[k]]);
    __syncthreads();
  }
}

}  // namespace multiwalk
