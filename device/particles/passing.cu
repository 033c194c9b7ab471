// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled without fused multiply-adds: images have the host's bits.
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_select.cuh>

#include "device/base/blocks_for.cuh"
#include "device/particles/passing.cuh"
#include "host/particles/kick.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 256;

/// The corners of some particles in the box, and the longest way of them.
struct Reach {
  Vec3d lo, hi;
  double way;
};

struct Enclose {
  __device__ static Vec3d least(Vec3d a, Vec3d b) { return {fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)}; }
  __device__ static Vec3d most(Vec3d a, Vec3d b) { return {fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}; }
  __device__ Reach operator()(const Reach& a, const Reach& b) const {
    return {least(a.lo, b.lo), most(a.hi, b.hi), fmax(a.way, b.way)};
  }
};

/// The reach of the block's particles, for every thread.
__device__ Reach reach_of_block(const Reach& mine) {
  using Reduce = cub::BlockReduce<Reach, threads>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ cub::Uninitialized<Reach> all;
  const Reach total = Reduce(storage).Reduce(mine, Enclose{});
  if (threadIdx.x == 0) all.Alias() = total;
  __syncthreads();
  return all.Alias();
}

/// Numbers of those of the copies first ... first + threads - 1 in which a particle of the block may pass. Returns how
/// many they are.
__device__ unsigned choose_copies(const PassingSearch& search, const Reach& reach, unsigned first, unsigned* near,
                                  unsigned* count) {
  if (threadIdx.x == 0) *count = 0;
  __syncthreads();
  const unsigned c = first + threadIdx.x;
  if (c < search.copies && may_pass(search.light, search.copy[c], reach.lo, reach.hi, reach.way)) {
    near[atomicAdd(count, 1U)] = c;
  }
  __syncthreads();
  return *count;
}

__global__ void mark_passing_kernel(const PassingSearch search, std::uint32_t* place, std::uint32_t* count) {
  __shared__ unsigned near[threads];
  __shared__ unsigned nearby;
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  const bool mine = i < search.n;
  Vec3d x;
  double way = 0;
  if (mine) {
    x = in_box(search.position[i], search.light.period);
    way = norm(search.light.factor * widened(search.velocity[i]));
  }
  const Vec3d none{INFINITY, INFINITY, INFINITY};
  const Reach reach = reach_of_block(mine ? Reach{x, x, way} : Reach{none, -none, 0});
  bool passes = mine && way > search.light.light_way;
  for (unsigned first = 0; first < search.copies; first += threads) {
    const unsigned copies = choose_copies(search, reach, first, near, &nearby);
    for (unsigned c = 0; c < copies && mine && !passes; ++c) {
      passes = may_pass(search.light, search.copy[near[c]], x, way);
    }
    __syncthreads();
  }
  if (passes) {
    std::uint32_t& own = place[search.index[i]];
    passes = own == not_passing;
    own = static_cast<std::uint32_t>(i);
  }
  const int marked = __syncthreads_count(passes ? 1 : 0);
  if (threadIdx.x == 0 && marked > 0) atomicAdd(count, static_cast<std::uint32_t>(marked));
}

struct IsPassing {
  __device__ bool operator()(std::uint32_t place) const { return place != not_passing; }
};

}  // namespace

void mark_passing(const PassingSearch& search, std::uint32_t* place, std::uint32_t* count, const Stream& stream) {
  mark_passing_kernel<<<blocks_for(search.n, threads), threads, 0, stream.get()>>>(search, place, count);
  check_cuda(cudaGetLastError(), "mark_passing_kernel");
}

cudaError_t select_passing(void* memory, std::size_t& bytes, const PassingSelection& selection, const Stream& stream) {
  return cub::DeviceSelect::If(memory, bytes, selection.place, selection.chosen, selection.count,
                               static_cast<std::int64_t>(selection.n), IsPassing{}, stream.get());
}

}  // namespace multiwalk
