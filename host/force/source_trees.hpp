// SPDX-License-Identifier: GPL-3.0-or-later
// Trees of other ranks as sources, as the gravity solver asks for them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "host/base/box.hpp"
#include "host/tree/gravity_options.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// The local tree as walks see it; trees for other ranks are cut from it. Its cells are those of a cube common to all
/// ranks, so that both sides know a cell cut by a domain face by the same key.
struct LocalTree {
  TreeView tree;                         ///< positions and masses in the order of the store; keys may be missing
  std::span<const std::uint32_t> order;  ///< (N) index in the store of each place in key order; empty: the place itself
  std::span<Multipole> multipole;        ///< the tree's own, to be replaced where a cell has particles of several ranks
  std::span<float> radius;           ///< to be replaced in the same way; opening radii (host/walk/opening_radii.hpp)
  std::span<Group> groups;           ///< their boxes may be widened
  std::span<const double> smallest;  ///< (groups) relative criterion: smallest old acceleration; else empty
  const GravityOptions& options;     ///< of the current evaluation
  double gravitational_constant;
  double cutoff = INFINITY;  ///< of pair forces

  /// Index in the store of the particle at a place.
  [[nodiscard]] std::size_t index(std::uint32_t place) const { return order.empty() ? place : order[place]; }
  /// Key of the first particle of node `n`.
  [[nodiscard]] std::uint64_t key(std::uint32_t n) const {
    const std::uint32_t first = tree.node[n].first;
    if (!tree.key.empty()) return tree.key[first];
    return morton_key(tree.position[index(first)], tree.cube.corner, key_cells_per_length(tree.cube));
  }
};

/// A tree (or several below roots that are always opened) of particles and cells from other ranks. Every walk accepts
/// cells that have neither particles nor children here. Never owns.
struct SourceTree {
  TreeView tree;  ///< no keys
  const WalkFamilies* families = nullptr;
};

/// Per evaluation: begin once, next until it returns null, and progress often in between.
class SourceTrees {
 public:
  virtual ~SourceTrees() = default;

  /// The cube of all ranks' particles, or of the periodic box. Collective.
  virtual Cube cube(const Box& mine, double box_size) = 0;
  /// The local tree is complete: sends others what they need of it, and completes the cells that it shares with others.
  /// Returns the nodes, rising, whose moments or radii may have changed. Collective.
  virtual std::span<const std::uint32_t> begin(const LocalTree& local) = 0;
  /// Advances messages; called between walks by the thread that called begin.
  virtual void progress() = 0;
  /// The next sources, in an order that does not depend on timing; nullptr after the last. Waits for them.
  virtual const SourceTree* next() = 0;
  /// True if `mine` holds on every rank. Collective.
  virtual bool all(bool mine) = 0;
};

}  // namespace multiwalk
