// SPDX-License-Identifier: GPL-3.0-or-later
// A tree grown by a back end, as the host needs it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "host/tree/gravity_options.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// How a tree should be grown.
struct GrowthTask {
  GravityOptions options;
  std::uint32_t group_size = 0;
  double gravitational_constant = 1;
  double background = 0;  ///< relative criterion: old accelerations are the store's, plus background times position
  std::function<Cube(const Box&)> cube;  ///< of the tree, for the tight box of the particles
  bool whole = false;                    ///< the host wants the nodes themselves too, not only what walks read
};

/// Places are counted in key order; the particles in that order stay with the back end.
struct GrownTree {
  WalkTree walk{};
  std::span<WalkFamily> families;  ///< the walk's, to be changed
  std::span<Group> groups;
  std::vector<double> smallest;          ///< (groups) relative criterion: smallest old acceleration; else empty
  std::span<const std::uint32_t> order;  ///< (N) index in the store of the particle at each place
  // Only if the task asked for them:
  TreeView tree;                   ///< cube, nodes and moments
  std::span<Multipole> multipole;  ///< the tree's, to be changed
  std::span<float> radius;         ///< (nodes) of opening, to be changed
  PhaseSeconds seconds{};
};

}  // namespace multiwalk
