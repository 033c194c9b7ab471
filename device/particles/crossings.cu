// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled without fused multiply-adds: crossings have the host's bits.
#include "device/base/blocks_for.cuh"
#include "device/particles/crossings.cuh"
#include "device/particles/near_copies.cuh"
#include "host/sky/sky_pixel.hpp"

namespace multiwalk {

namespace {

/// Adds a crossing to the map of its shell.
__device__ void add_crossing(const CrossingCount& count, const Crossing& crossing) {
  unsigned m = 0;
  while (m < count.maps && !(crossing.distance >= count.map[m].near && crossing.distance < count.map[m].far)) ++m;
  if (m == count.maps) return;
  const SkyPlace place = sky_place(crossing.position.x, crossing.position.y, crossing.position.z, count.side);
  if (place.in_doubt()) {
    const std::uint32_t at = atomicAdd(&count.uncounted.number[0], 1U);
    if (at < count.uncounted.room) count.uncounted.in_doubt[at] = crossing;
    return;
  }
  if (count.only_in_doubt) return;
  const std::uint32_t pixel = sky_pixel(place.falling, place.rising, count.side, count.order);
  atomicAdd(&count.map[m].counts[pixel], 1U);
  if (count.map[m].velocities == nullptr) return;
  const long long velocity = llrint(radial_velocity(crossing) / sky_velocity_unit);
  atomicAdd(&count.map[m].velocities[pixel], static_cast<unsigned long long>(velocity));
}

__global__ void count_crossings_kernel(const __grid_constant__ CrossingCount count) {
  const LightSweep& light = count.rules.light;
  const PassingParticle p = passing_particle(light, count.position, count.velocity, count.n);
  const PassingReach reach = reach_of_block(p);
  const bool fast = p.mine && p.way > light.light_way, sought = p.mine && !fast;
  if (fast && count.count_fast) atomicAdd(&count.uncounted.number[1], 1U);
  WayInCopy plain{};
  if (sought) plain = way_in_copy(p.kept, p.velocity, light.factor, light.period, Replica{});
  for_each_near_copy(light, count.copy, count.copies, reach, [&](const PassageCopy& copy) {
    if (!sought) return;
    Crossing crossing;
    const bool crosses =
        copy.replica.changed
            ? crosses_in_copy(count.rules, copy,
                              way_in_copy(p.kept, p.velocity, light.factor, light.period, copy.replica), p.velocity,
                              crossing)
            : crosses_in_copy(count.rules, copy, plain, p.velocity, crossing);
    if (crosses) add_crossing(count, crossing);
  });
}

}  // namespace

void count_crossings(const CrossingCount& count, const Stream& stream) {
  count_crossings_kernel<<<blocks_for(count.n, threads_of_passage), threads_of_passage, 0, stream.get()>>>(count);
  check_cuda(cudaGetLastError(), "count_crossings_kernel");
}

}  // namespace multiwalk
