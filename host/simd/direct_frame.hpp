// SPDX-License-Identifier: GPL-3.0-or-later
// Where the single-precision numbers of a direct summation are measured from, and in what units.
#pragma once

#include "host/base/vec3.hpp"
#include "host/gravity/pair_strength.hpp"

namespace multiwalk {

/// The extent of some points; zeros if there are none.
struct Extent {
  Vec3d mean;
  double farthest = 0;  ///< largest distance from the mean along any axis
};

/// Numbers are (x - centre) / length, (v - velocity) / speed and m / mass. The units are powers of two that bring every
/// system of units into the range of single precision without rounding.
struct DirectFrame {
  Vec3d centre, velocity;
  double length = 1, speed = 1, mass = 1;
  /// Single precision is too coarse for some bodies, or its range too small: sum in double precision, in units of 1.
  bool full = false;

  [[nodiscard]] double softening2(double softening2) const { return softening2 / length / length; }
  [[nodiscard]] double acceleration() const { return pair_strength() * mass / length / length; }
  [[nodiscard]] double potential() const { return pair_strength() * mass / length; }
  [[nodiscard]] double jerk() const { return acceleration() * (speed / length); }
};

}  // namespace multiwalk
