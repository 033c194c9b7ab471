// SPDX-License-Identifier: GPL-3.0-or-later
// Trees of other ranks as sources, as the gravity solver asks for them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "host/base/box.hpp"
#include "host/force/local_tree.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

class TreeExchange;

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
  /// Called when the local tree is complete: sends other ranks the parts that they need, and completes shared cells.
  /// Returns the nodes, rising, whose moments or radii may have changed. Collective.
  virtual std::span<const std::uint32_t> begin(const LocalTree& local) = 0;
  /// Advances messages; called between walks by the thread that called begin.
  virtual void progress() = 0;
  /// The next sources, in an order that does not depend on timing; nullptr after the last. Waits for them.
  virtual const SourceTree* next() = 0;
  /// True if `mine` holds on every rank. Collective.
  virtual bool all(bool mine) = 0;
  /// The same for two conditions, in one message.
  virtual std::array<bool, 2> all_of(std::array<bool, 2> mine) { return {all(mine[0]), all(mine[1])}; }
  /// Messages with which devices exchange parts of trees themselves, in place of begin and next; null: there are none.
  virtual TreeExchange* exchange() { return nullptr; }
};

}  // namespace multiwalk
