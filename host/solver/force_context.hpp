// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of one evaluation of forces: targets, other ranks' trees, long-range force, feed.
#pragma once

#include "host/force/long_range.hpp"
#include "host/force/particle_feed.hpp"
#include "host/force/source_trees.hpp"

namespace multiwalk {

struct ForceContext {
  double background = 0;                 ///< relative criterion: old accelerations are the store's, plus this times x
  SourceTrees* remote = nullptr;         ///< the trees of other ranks, whose forces are added
  LongRangeForce* long_range = nullptr;  ///< of a law with a split
  int least_rung = 0;                    ///< particles of this rung and deeper are the targets
  /// If some of the particles are the targets, and a back end keeps them: whether the tree is grown anew; otherwise the
  /// one grown last follows its particles, which is faster while they are near.
  bool new_tree = true;
  /// Has the particles instead of the store, whose arrays have their number of elements. A device may take them, and
  /// give the results back, without the store. Not with other ranks or a least rung.
  ParticleFeed* feed = nullptr;
};

}  // namespace multiwalk
