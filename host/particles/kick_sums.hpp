// SPDX-License-Identifier: GPL-3.0-or-later
// Sums that the last kick of a step makes while it passes over the particles.
#pragma once

namespace multiwalk {

/// Sums over particles that have just been kicked, in double precision.
struct KickSums {
  double velocity_square = 0;  ///< sum m u^2
  double pair_potential = 0;   ///< sum m phi
  double position_square = 0;  ///< sum m x^2
  double largest_pull2 = 0;    ///< largest |acceleration + background x|^2, infinite if one is not finite
};

}  // namespace multiwalk
