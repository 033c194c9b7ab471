// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays that walks on the device read, of a whole tree or of a part.
#pragma once

#include <cstdint>
#include <span>

#include "host/base/box.hpp"
#include "host/base/vec3.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// Elements of a tree's arrays. The family of the root counts.
struct TreeSize {
  std::uint32_t families = 0, nodes = 0, particles = 0;

  MULTIWALK_HOST_DEVICE TreeSize operator+(const TreeSize& other) const {
    return {families + other.families, nodes + other.nodes, particles + other.particles};
  }
};

/// In device memory; nodes and families refer to each other and to particles by number.
struct TreeArrays {
  WalkFamily* family = nullptr;    ///< (families) the first is the root's
  Node* node = nullptr;            ///< (nodes)
  Multipole* multipole = nullptr;  ///< (nodes)
  Vec3d* position = nullptr;       ///< (particles)
  float* mass = nullptr;           ///< (particles)

  /// The arrays without their first `first` elements.
  [[nodiscard]] TreeArrays from(const TreeSize& first) const {
    return {family + first.families, node + first.nodes, multipole + first.nodes, position + first.particles,
            mass + first.particles};
  }
};

/// A grown tree of which parts are cut for other ranks.
struct CutTree {
  TreeArrays arrays;
  TreeSize size;
  const float* radius = nullptr;                  ///< (nodes) of opening (host/walk/opening_radii.hpp)
  const std::uint32_t* below = nullptr;           ///< (nodes) number of an inner node's family
  std::span<const std::uint32_t> level_offset{};  ///< first node of each level, and one past the last; on the host
  Cube cube{};
};

}  // namespace multiwalk
