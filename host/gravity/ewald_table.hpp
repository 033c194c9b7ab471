// SPDX-License-Identifier: GPL-3.0-or-later
// The lattice correction of host/exact/ewald.hpp on a grid over one octant, for cubic interpolation.
#pragma once

#include <span>

namespace multiwalk {

/// Intervals of 0 <= |d| <= 1/2 along an axis; the cubic needs one more node at either end.
inline constexpr int ewald_intervals = 64;
inline constexpr int ewald_nodes = ewald_intervals + 3;

/// Node (i, j, k) is at (i - 1, j - 1, k - 1)/(2 ewald_intervals) of a box of side 1 and holds 4 numbers: acceleration
/// and potential of EwaldLattice::correction, k fastest (9.6 MB, 64-byte aligned). The first call computes the table
/// with all threads, so it should come from outside parallel regions.
std::span<const double> ewald_table();

}  // namespace multiwalk
