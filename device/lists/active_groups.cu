// SPDX-License-Identifier: GPL-3.0-or-later
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>
#include <string>

#include "device/base/blocks_for.cuh"
#include "device/base/fetch.cuh"
#include "device/base/too_small.hpp"
#include "device/base/warp_extremes.cuh"
#include "device/lists/active_groups.cuh"
#include "host/particles/kick.hpp"

namespace multiwalk {

namespace {

constexpr unsigned threads = 128;
constexpr unsigned lanes = 32;

/// A warp per group.
__global__ void mark_active(const Group* group, std::uint32_t groups, ActiveParticles particles,
                            std::uint8_t* is_active) {
  const std::size_t g = (std::size_t{blockIdx.x} * threads + threadIdx.x) / lanes;
  const std::uint32_t lane = threadIdx.x % lanes;
  if (g >= groups) return;
  const std::uint32_t first = group[g].first, end = first + group[g].count;
  bool any = false;
  for (std::uint32_t i = first + lane; i < end; i += lanes) any |= particles.rung[i] >= particles.least;
  any = __any_sync(~0U, any);
  if (lane == 0) is_active[g] = any ? 1 : 0;
}

/// The active particles of a group, as one thread or a whole warp has seen them.
struct ActiveExtent {
  Vec3d lo{INFINITY, INFINITY, INFINITY}, hi{-INFINITY, -INFINITY, -INFINITY};
  double pull = INFINITY;
  std::uint32_t first = ~0U, end = 0;

  __device__ void add(const ActiveParticles& particles, std::uint32_t i) {
    const Vec3d p = particles.position[i];
    lo = {fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z)};
    hi = {fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z)};
    pull = fmin(pull, norm(peculiar_pull(particles.acceleration[i], p, particles.background)));
    first = min(first, i);
    end = max(end, i + 1);
  }
  /// Called by all threads of the warp.
  __device__ void unite() {
    lo = {warp_min(lo.x), warp_min(lo.y), warp_min(lo.z)};
    hi = {warp_max(hi.x), warp_max(hi.y), warp_max(hi.z)};
    pull = warp_min(pull);
    first = __reduce_min_sync(~0U, first);
    end = __reduce_max_sync(~0U, end);
  }
};

/// Where the descriptions of active groups go.
struct Descriptions {
  const std::uint32_t* number;
  std::uint32_t count;
  Group* group;
  ParticleRange* run;
  float* pull;
};

/// A warp per active group.
__global__ void describe_active(const Group* group, ActiveParticles particles, Descriptions to) {
  const std::size_t a = (std::size_t{blockIdx.x} * threads + threadIdx.x) / lanes;
  const std::uint32_t lane = threadIdx.x % lanes;
  if (a >= to.count) return;
  Group mine = group[to.number[a]];
  ActiveExtent extent;
  for (std::uint32_t i = mine.first + lane; i < mine.first + mine.count; i += lanes) {
    if (particles.rung[i] >= particles.least) extent.add(particles, i);
  }
  extent.unite();
  if (lane != 0) return;
  mine.box.lo = extent.lo;
  mine.box.hi = extent.hi;
  to.group[a] = mine;
  to.run[a] = {extent.first, extent.end - extent.first};
  to.pull[a] = static_cast<float>(extent.pull);
}

}  // namespace

bool ActiveGroups::find(const Group* groups, std::uint32_t count, const ActiveParticles& particles,
                        const Stream& stream) {
  if (!is_active_.reserve(count, stream) || !number_.reserve(count, stream) || !count_.reserve(1, stream)) return false;
  mark_active<<<blocks_for(std::size_t{count} * lanes, threads), threads, 0, stream.get()>>>(groups, count, particles,
                                                                                             is_active_.data());
  check_cuda(cudaGetLastError(), "mark_active");
  const bool selected = scratch_(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<std::uint32_t>(0), is_active_.data(),
                                      number_.data(), count_.data(), count, stream.get());
  });
  if (!selected) return false;
  found_ = fetch(count_.data(), stream);
  return group_.reserve_growing(found_, found_ / 4, stream) && run_.reserve_growing(found_, found_ / 4, stream) &&
         pull_.reserve_growing(found_, found_ / 4, stream);
}

std::uint32_t ActiveGroups::choose(const Group* groups, std::uint32_t count, const ActiveParticles& particles,
                                   const Stream& stream) {
  if (!find(groups, count, particles, stream)) {
    throw too_small(is_active_.memory(), "it has no room to choose among " + std::to_string(count) + " groups");
  }
  if (found_ == 0) return 0;
  describe_active<<<blocks_for(std::size_t{found_} * lanes, threads), threads, 0, stream.get()>>>(
      groups, particles, {number_.data(), found_, group_.data(), run_.data(), pull_.data()});
  check_cuda(cudaGetLastError(), "describe_active");
  return found_;
}

void ActiveGroups::release(const Stream& stream) {
  is_active_.release(stream);
  number_.release(stream);
  count_.release(stream);
  group_.release(stream);
  run_.release(stream);
  pull_.release(stream);
  scratch_.release(stream);
}

}  // namespace multiwalk
