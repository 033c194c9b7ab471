// SPDX-License-Identifier: GPL-3.0-or-later
// The domains: slabs along x, cut into columns along y, cut into boxes along z.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "host/base/box.hpp"
#include "host/domains/domain_cuts.hpp"

namespace multiwalk {

/// Boxes along x, y and z; their product is the number of ranks.
using DomainGrid = std::array<int, 3>;

inline std::size_t part_among(std::span<const double> cuts, double x) {
  return part_among(cuts.data(), cuts.size(), x);
}

/// The grid whose boxes have the smallest surface (or nearly) when space of this extent is cut into `ranks` boxes;
/// among equals, the one with the most slabs along x.
DomainGrid choose_grid(int ranks, Vec3d extent);

/// The outermost boxes extend to infinity. Rank = (ix ny + iy) nz + iz. Boxes between equal cuts own nothing.
struct DomainMap {
  DomainGrid grid{1, 1, 1};
  std::vector<double> x;  ///< (nx - 1) rising cuts
  std::vector<double> y;  ///< (nx, ny - 1)
  std::vector<double> z;  ///< (nx, ny, nz - 1)

  [[nodiscard]] int ranks() const { return grid[0] * grid[1] * grid[2]; }
  /// A particle on a cut belongs to the upper side. Every position has exactly one owner, even infinities and NaN.
  [[nodiscard]] int rank_of(Vec3d position) const { return static_cast<int>(cuts().owner(position)); }
  /// Valid as long as the map does not change.
  [[nodiscard]] DomainCuts cuts() const;
  /// The box of a rank, without its upper faces; infinite where no cut bounds it.
  [[nodiscard]] Box box(int rank) const;
  /// True if grid and cuts are consistent: sizes, finite and rising cuts.
  [[nodiscard]] bool consistent() const;
};

}  // namespace multiwalk
