// SPDX-License-Identifier: GPL-3.0-or-later
// How close a walk may come to a cell without opening it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/base/box.hpp"
#include "host/tree/acceptance.hpp"
#include "host/tree/gravity_options.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

/// Cells and groups of a periodic box are smaller than this fraction of its side. A walk uses one image of each source,
/// the nearest to the group's centre; within the cut-off that is the nearest image for each target too.
inline constexpr double largest_periodic_cell = 0.125;

MULTIWALK_HOST_DEVICE float opening_radius(const Cube& cube, const CellShape& cell, const OpeningCriterion& criterion) {
  if (cube.periodic && cell.side > largest_periodic_cell * cube.side) return INFINITY;
  return static_cast<float>(criterion.opening_radius(cell));
}

/// For the contents of a box as one cell, whose side is the box's longest.
inline float opening_radius(const Cube& cube, const Box& box, Vec3d centre_of_mass, const OpeningCriterion& criterion) {
  const Vec3d extent = box.hi - box.lo;
  return opening_radius(cube, {std::max({extent.x, extent.y, extent.z}), box.centre(), centre_of_mass}, criterion);
}

/// For the cell of `level` that holds `key`, from its centre of mass and number of particles; infinite if the cell is
/// always opened.
MULTIWALK_HOST_DEVICE float opening_radius(const Cube& cube, std::uint64_t key, int level, Vec3d centre_of_mass,
                                           std::uint64_t count, const GravityOptions& options) {
  if (count <= options.always_opened()) return INFINITY;
  const double side = cube.side / static_cast<double>(std::uint64_t{1} << level);
  return opening_radius(cube, {side, cell_centre(cube, key, level), centre_of_mass}, options);
}

/// The radius of every node (nodes). Replaces `radius` and reuses its memory. An owner may change entries afterwards:
/// if negative, an accepted cell is not listed, because another tree lists it; if 0, it is accepted everywhere.
void make_opening_radii(const TreeView& tree, const GravityOptions& options, std::vector<float>& radius);

}  // namespace multiwalk
