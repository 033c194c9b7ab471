// SPDX-License-Identifier: GPL-3.0-or-later
// The lattice correction of host/exact/ewald.hpp on a grid over one octant, for cubic interpolation.
#pragma once

#include <memory>

#include "host/base/aligned_buffer.hpp"

namespace multiwalk {

/// Intervals of 0 <= |d| <= 1/2 along an axis; the cubic needs one more node at either end.
inline constexpr int ewald_intervals = 64;
inline constexpr int ewald_nodes = ewald_intervals + 3;

/// Node (i, j, k) is at (i - 1, j - 1, k - 1)/(2 ewald_intervals) of a box of side 1 and holds 4 numbers: acceleration
/// and potential of EwaldLattice::correction, k fastest (9.6 MB, 64-byte aligned).
class EwaldTable {
 public:
  /// Computes with all threads.
  explicit EwaldTable(double softening);

  [[nodiscard]] double softening() const { return softening_; }
  [[nodiscard]] const double* data() const { return value_; }

 private:
  double softening_;
  AlignedBuffer<double> memory_;
  double* value_;
};

/// The table for a softening in units of the box; that of the last call is kept. It should be called outside parallel
/// regions.
std::shared_ptr<const EwaldTable> ewald_table(double softening);

}  // namespace multiwalk
