// SPDX-License-Identifier: GPL-3.0-or-later
// Where the single-precision numbers of a direct summation are measured from, and in what units.
#pragma once

#include <cstddef>

#include "host/base/vec3.hpp"
#include "host/direct/direct_backend.hpp"

namespace multiwalk {

/// Of some points; 0 for none.
struct Extent {
  Vec3d mean;
  double farthest = 0;  ///< largest distance from the mean along any axis
};

/// Numbers are (x - centre) / length, (v - velocity) / speed and m / mass. The units are powers of two that bring every
/// system of units into the range of single precision without rounding.
struct DirectFrame {
  Vec3d centre, velocity;
  double length = 1, speed = 1, mass = 1;
  /// Single precision is too coarse, or its range too small, for some bodies: sum in double precision, in units of 1.
  bool full = false;

  [[nodiscard]] double softening2(double softening2) const { return softening2 / length / length; }
  [[nodiscard]] double acceleration() const { return mass / length / length; }
  [[nodiscard]] double potential() const { return mass / length; }
  [[nodiscard]] double jerk() const { return mass / length / length * (speed / length); }
};

/// Centred on the mean of the sources, or of sources and targets if targets reach 1e9 times as far. `full` if
///  - some bodies are closer to each other than 1e-8 of the extent (single: one in 256 closer than 2e-5), unless they
///    are at the very same place or the softening is longer. Few bodies are compared all with all, many in cells: a
///    sample of 256 to 4096 sources and targets, larger where more pairs are summed; or
///  - some velocities of a sample of 64 are as close, compared with the fastest; or
///  - extent, speeds or masses lie beyond 1e-90 to 1e90.
DirectFrame direct_frame(const DirectTask& task);
/// About the mean of both blocks.
DirectFrame direct_frame(const DirectCouple& couple);

}  // namespace multiwalk
