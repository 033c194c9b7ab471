// SPDX-License-Identifier: GPL-3.0-or-later
// Walks that a back end makes itself, through a tree that it has grown.
#pragma once

#include <optional>
#include <span>

#include "host/force/local_tree.hpp"
#include "host/force/tree_exchange.hpp"
#include "host/walk/group.hpp"
#include "host/walk/raw_count.hpp"

namespace multiwalk {

/// The groups that the particles of the tree grown last make up.
struct GroupWalks {
  WalkSettings walks;
  std::span<const Group> groups;     ///< none: those that were made with the tree
  std::span<const double> smallest;  ///< (groups) as LocalTree's
};

/// Walks for the kept particles of rung `least_rung` and deeper.
struct ActiveWalks {
  WalkSettings walks;
  PairLaw law;
  int least_rung = 0;
};

struct MadeWalks {
  RawCount raw;
  double seconds = 0;    ///< of walking alone
  double following = 0;  ///< seconds in which the tree was brought to where its particles have drifted
};

/// Each walk takes the place of open, submit and drain.
class DeviceWalker {
 public:
  /// Adds to the tree grown last the parts of other ranks' trees that its walks read, and cuts parts of it for them.
  /// False, on all ranks: the tree is not `resident` on one of them, or a device is too full; the tree is lost then.
  /// Collective.
  virtual bool share_tree(TreeExchange& others, const WalkSettings& walks, bool resident) = 0;

  /// Walks for all groups and evaluates; after begin_grown, in place of open, submit and drain. The tree must be
  /// resident.
  virtual MadeWalks walk(const GroupWalks& task) = 0;

  /// A whole evaluation, after which only collect is called: the accelerations of these particles become the pairs'
  /// plus their long_range, and nothing else changes. The tree is the one grown last: nodes keep their particles,
  /// moments are computed anew, and a cell counts as large as it must be to hold its particles where they are now. None
  /// if no resident tree of kept particles with rungs is there any longer.
  virtual std::optional<MadeWalks> walk_active(const ActiveWalks& task) = 0;

 protected:
  ~DeviceWalker() = default;
};

}  // namespace multiwalk
