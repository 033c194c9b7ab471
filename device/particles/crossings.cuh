// SPDX-License-Identifier: GPL-3.0-or-later
// Kept particles that cross the light of an observer during a drift, counted in maps of the sky.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"
#include "host/sky/sky_counter.hpp"

namespace multiwalk {

/// More shells than light passes in a drift.
inline constexpr unsigned most_sky_maps = 16;

/// The map of a shell, near <= distance < far.
struct SkyMapArrays {
  double near, far;
  std::uint32_t* counts;
  unsigned long long* velocities;  ///< sums in two's complement; null: not wanted
};

/// Crossings whose pixel is in doubt, and numbers of what the kernel leaves to the host.
struct UncountedArrays {
  Crossing* in_doubt;
  std::uint32_t room;     ///< for crossings
  std::uint32_t* number;  ///< (2) crossings in doubt, perhaps more than `room`; particles faster than light
};

/// n particles, best in key order, and some of the copies of a passage; arrays in device memory.
struct CrossingCount {
  const Vec3d* position;
  const Vec3f* velocity;
  std::size_t n;
  CrossingRules rules;
  const PassageCopy* copy;
  unsigned copies;
  SkyMapArrays map[most_sky_maps];
  unsigned maps;
  std::uint32_t side;  ///< nside = 2^order
  int order;
  bool only_in_doubt;  ///< maps do not change
  bool count_fast;     ///< with only one of the pieces of copies
  UncountedArrays uncounted;
};

/// Enqueues the count.
void count_crossings(const CrossingCount& count, const Stream& stream);

}  // namespace multiwalk
