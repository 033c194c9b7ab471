// Barnes (1990) groups: neighbouring particles that share one walk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/base/box.hpp"
#include "host/tree/octree.hpp"

namespace multiwalk {

/// A run of particles in key order with their tight bounding box: those of `node`, or some of them.
struct Group {
  Box box;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t node = 0;
};

/// The largest cells with at most `group_size` particles, in key order; a leaf with more (coincident particles) is cut
/// into runs. Every particle is in exactly one group.
std::vector<Group> make_groups(const TreeView& tree, std::uint32_t group_size);

/// Smallest |acceleration + background x| in each group (relative criterion).
std::vector<double> smallest_accelerations(const TreeView& tree, std::span<const Group> groups,
                                           std::span<const Vec3f> acceleration, double background);

}  // namespace multiwalk
