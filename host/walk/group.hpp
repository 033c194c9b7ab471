// SPDX-License-Identifier: GPL-3.0-or-later
// Barnes (1990) groups: neighbouring particles that share one walk.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/base/box.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

/// A run of particles in key order with their tight bounding box: those of `nodes` siblings from `node` on, or some of
/// the particles of one node.
struct Group {
  Box box;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t node = 0;
  std::uint32_t nodes = 1;
};

/// Which cells are divided into groups.
struct GroupRule {
  std::uint32_t most;  ///< particles in a group
  bool periodic;       ///< walks in a box need groups smaller than largest_periodic_cell (walk/opening_radii.hpp)

  static constexpr int least_level = 3;  ///< of cells that are small enough

  [[nodiscard]] MULTIWALK_HOST_DEVICE bool divides(const Node& node) const {
    return node.count > most || (periodic && node.level < least_level && !node.leaf());
  }
  /// Whether several children of a node may be one group.
  [[nodiscard]] MULTIWALK_HOST_DEVICE bool merges_children(const Node& parent) const {
    return !periodic || parent.level >= least_level;
  }
};

/// The number of particles in each octant of an inner node.
struct OctantCounts {
  std::uint32_t count[8]{};

  MULTIWALK_HOST_DEVICE OctantCounts(const Node* node, const std::uint64_t* key, const Node& parent) {
    for (std::uint32_t c = 0; c < parent.child_count; ++c) {
      const Node& child = node[parent.first_child + c];
      count[child_digit(key[child.first], parent.level)] = child.count;
    }
  }
  /// One past the last octant of the group of octant `digit`: the half or quarter of the cell that contains it if that
  /// has at most `most` particles and may be a group, otherwise the octant itself.
  [[nodiscard]] MULTIWALK_HOST_DEVICE unsigned end_of_group(unsigned digit, std::uint32_t most, bool merges) const {
    for (unsigned octants = merges ? 4 : 1; octants > 1; octants /= 2) {
      const unsigned first = digit & ~(octants - 1);
      std::uint32_t particles = 0;
      for (unsigned k = 0; k < octants; ++k) particles += count[first + k];
      if (particles <= most) return first + octants;
    }
    return digit + 1;
  }
};

/// The largest cells, halves and quarters of cells with at most `group_size` particles, in key order; a leaf with more
/// (coincident particles) is cut into runs. Every particle is in exactly one group. In a periodic box, of cells of
/// GroupRule::least_level and below, and of leaves.
std::vector<Group> make_groups(const TreeView& tree, std::uint32_t group_size);

/// Groups, with the smallest acceleration in each (or empty).
struct JudgedGroups {
  std::vector<Group> groups;
  std::vector<double> smallest;
};

/// The groups of a periodic box [0, ...), where each group wider than `side` (that of cells of some level) is cut into
/// its parts in cells of that level, so that smaller cells stay whole. Empty if no group is wider. `position`: of a
/// place in key order.
JudgedGroups split_wide_groups(std::span<const Group> groups, std::span<const double> smallest, double side,
                               const std::function<Vec3d(std::uint32_t)>& position);

/// Smallest |acceleration + background x| in each group (relative criterion). `order`: index of each place in
/// `acceleration`; empty: the place itself.
std::vector<double> smallest_accelerations(const TreeView& tree, std::span<const Group> groups,
                                           std::span<const Vec3f> acceleration, double background,
                                           std::span<const std::uint32_t> order = {});

}  // namespace multiwalk
