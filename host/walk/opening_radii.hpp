// SPDX-License-Identifier: GPL-3.0-or-later
// How near a walk may come to a cell without opening it.
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

/// Cells and groups of a periodic box are smaller than this part of its side: a walk uses one image of each source, the
/// nearest to the group's centre, which is the nearest to each of its targets within the cut-off of their forces.
inline constexpr double largest_periodic_cell = 0.125;

MULTIWALK_HOST_DEVICE float opening_radius(const Cube& cube, const CellShape& cell, const OpeningCriterion& criterion) {
  if (cube.periodic && cell.side > largest_periodic_cell * cube.side) return INFINITY;
  return static_cast<float>(criterion.opening_radius(cell));
}

/// Of all that a box holds as one cell, whose side is the box's longest.
inline float opening_radius(const Cube& cube, const Box& box, Vec3d centre_of_mass, const OpeningCriterion& criterion) {
  const Vec3d extent = box.hi - box.lo;
  return opening_radius(cube, {std::max({extent.x, extent.y, extent.z}), box.centre(), centre_of_mass}, criterion);
}

/// Of a cell of `level` that holds `key`, for its centre of mass and count of particles; infinite where the cell is
/// always opened.
MULTIWALK_HOST_DEVICE float opening_radius(const Cube& cube, std::uint64_t key, int level, Vec3d centre_of_mass,
                                           std::uint64_t count, const GravityOptions& options) {
  if (count <= options.always_opened()) return INFINITY;
  const double side = cube.side / static_cast<double>(std::uint64_t{1} << level);
  return opening_radius(cube, {side, cell_centre(cube, key, level), centre_of_mass}, options);
}

/// Of every node (nodes). Replaces `radius`, using its memory again. An owner may change entries afterwards: negative,
/// an accepted cell is not listed, because another tree lists it; 0, accepted everywhere.
void make_opening_radii(const TreeView& tree, const GravityOptions& options, std::vector<float>& radius);

}  // namespace multiwalk
