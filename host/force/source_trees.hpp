// SPDX-License-Identifier: GPL-3.0-or-later
// Trees of other ranks as sources: what the gravity solver asks of whoever brings them.
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

/// The local tree as the walk sees it; what others may need is cut from it. Its cells are those of a cube common to all
/// ranks, so that a cell that a domain's face cuts is known by its key on both sides.
struct LocalTree {
  TreeView tree;                         ///< positions and masses as the store has them; keys may be missing
  std::span<const std::uint32_t> order;  ///< (N) index in the store of each place in key order; empty: the place itself
  std::span<Multipole> multipole;        ///< the tree's own, to be replaced where a cell has particles of several ranks
  std::span<float> radius;               ///< likewise; of opening, see walk/opening_radii.hpp
  std::span<Group> groups;               ///< their boxes may be widened
  std::span<const double> smallest;      ///< (groups) relative criterion: smallest old acceleration; else empty
  const GravityOptions& options;         ///< of this evaluation
  double gravitational_constant;
  double cutoff = INFINITY;  ///< of pair forces

  /// In the store, of the particle at a place.
  [[nodiscard]] std::size_t index(std::uint32_t place) const { return order.empty() ? place : order[place]; }
  /// Of the first particle of node `n`.
  [[nodiscard]] std::uint64_t key(std::uint32_t n) const {
    const std::uint32_t first = tree.node[n].first;
    if (!tree.key.empty()) return tree.key[first];
    return morton_key(tree.position[index(first)], tree.cube.corner, key_cells_per_length(tree.cube));
  }
};

/// A tree (or several under roots that are always opened) of particles and cells that are not the walker's own. Cells
/// without particles or children here are accepted by every walk. Never owns.
struct SourceTree {
  TreeView tree;  ///< no keys
  const WalkFamilies* families = nullptr;
};

/// Once per evaluation: begin, then next until it gives none; meanwhile progress, often.
class SourceTrees {
 public:
  virtual ~SourceTrees() = default;

  /// The cube of all ranks' particles, or of the periodic box. Collective.
  virtual Cube cube(const Box& mine, double box_size) = 0;
  /// The local tree stands: send what others need of it, and complete the cells that it shares with others. Returns the
  /// nodes, rising, of which moments or radii may have changed. Collective.
  virtual std::span<const std::uint32_t> begin(const LocalTree& local) = 0;
  /// Drives messages on; called by the thread that called begin, between walks.
  virtual void progress() = 0;
  /// The next sources, in an order that does not depend on timing; nullptr after the last. Waits for them.
  virtual const SourceTree* next() = 0;
  /// True if `mine` holds on every rank. Collective.
  virtual bool all(bool mine) = 0;
};

}  // namespace multiwalk
