// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of a periodic box beside each other, each optionally rotated and shifted so that structures do not repeat.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "host/base/hash.hpp"
#include "host/sky/replica.hpp"

namespace multiwalk {

struct ReplicaOptions {
  bool rotate = false;  ///< by one of the 24 rotations that map a cube to itself
  bool shift = false;   ///< periodically, by a random part of the side along each axis
  std::uint64_t seed = 1;
};

/// The copy at (x, y, z) box sizes, chosen by its place and the seed alone; the box itself, at (0, 0, 0), is unchanged.
inline Replica replica_at(int x, int y, int z, double period, const ReplicaOptions& options) {
  Replica replica;
  if ((x == 0 && y == 0 && z == 0) || !(options.rotate || options.shift)) return replica;
  replica.changed = true;
  std::uint64_t state = mix_bits(options.seed);
  for (const int place : {x, y, z}) state = mix_bits(state ^ static_cast<std::uint32_t>(place));
  const auto next = [&] { return state = mix_bits(state); };
  if (options.rotate) {
    constexpr std::array<std::array<int, 3>, 6> orders{
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    const std::uint64_t chosen = next() % 24;
    const std::size_t order = chosen / 4;
    std::ranges::copy(orders[order], replica.axis);
    const int first = (chosen & 1) != 0 ? -1 : 1, second = (chosen & 2) != 0 ? -1 : 1;
    replica.sign[0] = first, replica.sign[1] = second;
    replica.sign[2] = order < 3 ? first * second : -first * second;  // a rotation: determinant 1
  }
  if (options.shift) {
    for (int k = 0; k < 3; ++k) replica.shift[k] = static_cast<double>(next() >> 11) * 0x1p-53 * period;
  }
  return replica;
}

}  // namespace multiwalk
