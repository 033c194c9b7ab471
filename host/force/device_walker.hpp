// SPDX-License-Identifier: GPL-3.0-or-later
// Walks that a back end makes itself, through a tree that it has grown.
#pragma once

#include <span>

#include "host/force/local_tree.hpp"
#include "host/walk/group.hpp"
#include "host/walk/raw_count.hpp"

namespace multiwalk {

/// The groups that the particles of the tree grown last make up.
struct GroupWalks {
  WalkSettings walks;
  std::span<const Group> groups;     ///< none: those that were made with the tree
  std::span<const double> smallest;  ///< (groups) as LocalTree's
};

struct MadeWalks {
  RawCount raw;
  double seconds = 0;  ///< of walking alone
};

class DeviceWalker {
 public:
  virtual ~DeviceWalker() = default;

  /// Walks for all groups and evaluates; after begin_grown, in place of open, submit and drain. The tree must be
  /// resident.
  virtual MadeWalks walk(const GroupWalks& task) = 0;
};

}  // namespace multiwalk
