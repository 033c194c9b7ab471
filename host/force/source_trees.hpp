// SPDX-License-Identifier: GPL-3.0-or-later
// Trees of other ranks as sources: what the gravity solver asks of whoever brings them.
#pragma once

#include <cstdint>
#include <span>

#include "host/base/box.hpp"
#include "host/force/local_tree.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

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
  /// The local tree is there: send what others need of it, and complete the cells that it shares with others. Returns
  /// the nodes, rising, of which moments or radii may have changed. Collective.
  virtual std::span<const std::uint32_t> begin(const LocalTree& local) = 0;
  /// Drives messages on; called by the thread that called begin, between walks.
  virtual void progress() = 0;
  /// The next sources, in an order that does not depend on timing; nullptr after the last. Waits for them.
  virtual const SourceTree* next() = 0;
  /// True if `mine` holds on every rank. Collective.
  virtual bool all(bool mine) = 0;
};

}  // namespace multiwalk
