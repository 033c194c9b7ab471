// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of a rank's own particles: built by the host over the sorted store or over sorted copies, or grown by a back
// end, which leaves the store in its order.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "host/gravity/pair_law.hpp"
#include "host/tree/gravity_options.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// The settings that all walks of an evaluation have in common.
struct WalkSettings {
  GravityOptions options;
  double gravitational_constant = 1;
  double cutoff = INFINITY;  ///< of pair forces
  int expansion = 0;         ///< order of local expansions; 0: none
  double background = 0;     ///< relative criterion: old accelerations are the store's, plus this times the position

  WalkSettings() = default;
  WalkSettings(const GravityOptions& chosen, const PairLaw& law, double linear_term)
      : options(chosen),
        gravitational_constant(law.gravitational_constant),
        cutoff(law.split.scale > 0 ? law.split.cutoff : INFINITY),
        expansion(law.expansion),
        background(linear_term) {}
};

/// Never owns. Places are counted in key order. The parts that other ranks need are cut from it. Its cells are those of
/// a cube common to all ranks, so that a cell that a domain face cuts has the same key on both sides.
struct LocalTree {
  WalkSettings walks;
  TreeView tree;                     ///< of a grown tree: positions and masses as the store has them, perhaps no keys
  std::span<Multipole> multipole;    ///< the tree's own, to be replaced where a cell has particles of several ranks
  std::span<float> radius;           ///< (nodes) of opening, see walk/opening_radii.hpp, to be replaced there too
  std::span<Group> groups;           ///< their boxes may be widened
  std::span<const double> smallest;  ///< (groups) relative criterion: smallest old acceleration; else empty
  std::span<const std::uint32_t> order{};  ///< (N) index in the store of each place; empty: the place itself
  WalkTree walk{};                         ///< the records that walks read
  std::span<WalkFamily> families{};        ///< the walk's, to be changed, of a tree grown by a back end; else empty
  bool resident = false;  ///< the back end has all that walks read, and makes them (DeviceWalker); `walk` is empty

  /// Whether a back end grew it, and has its particles and moments.
  [[nodiscard]] bool grown() const { return resident || !families.empty(); }
  /// The index in the store of the particle at a place.
  [[nodiscard]] std::size_t index(std::uint32_t place) const { return order.empty() ? place : order[place]; }
  /// The index in the tree's positions and masses of the particle at a place.
  [[nodiscard]] std::size_t element(std::uint32_t place) const { return grown() ? index(place) : place; }
  /// The key of the first particle of node `n`.
  [[nodiscard]] std::uint64_t key(std::uint32_t n) const {
    const std::uint32_t first = tree.node[n].first;
    if (!tree.key.empty()) return tree.key[first];
    return morton_key(tree.position[element(first)], tree.cube.corner, key_cells_per_length(tree.cube));
  }
};

}  // namespace multiwalk
