// SPDX-License-Identifier: GPL-3.0-or-later
// One evaluation of forces, and the steps that both ways of making it (ListedForces, ResidentForces) have in common.
#pragma once

#include <optional>
#include <vector>

#include "host/force/force_backend.hpp"
#include "host/force/force_statistics.hpp"
#include "host/force/local_tree.hpp"
#include "host/force/tree_grower.hpp"
#include "host/particles/particle_store.hpp"
#include "host/solver/force_context.hpp"

namespace multiwalk {

/// An evaluation in progress.
struct Evaluation {
  ParticleStore& particles;
  PairLaw law;
  ForceContext context;
  WalkSettings walks;
  ParticleFeed* to_take = nullptr;      ///< has the particles, which are not in the store yet
  ParticleFeed* results = nullptr;      ///< may be given the results
  std::optional<bool> by_devices = {};  ///< whether the devices of all ranks make it, if that is known
  std::optional<LocalTree> grown = {};  ///< by a device that cannot make the walks: the host makes them
  bool growth_failed = false;           ///< a device could not grow the tree: the host builds it
  ForceStatistics statistics{};

  /// All particles are the targets.
  [[nodiscard]] bool of_all() const { return context.least_rung == 0; }
};

/// The back end, and memory that both ways keep between evaluations.
struct ForceTools {
  ForceBackend& backend;
  int threads;
  SortScratch sort{};
  std::vector<Group> groups{};
  std::vector<double> smallest{};
  bool reordered = false;  ///< the particles of the store have been put into another order in this call
};

/// Whether these particles are on a device of the back end.
bool on_device(const ParticleStore& particles, ForceBackend& backend);
/// The particles are in the store from now on, whether a feed has them or a device keeps them.
void come_home(Evaluation& evaluation, ForceBackend& backend);
/// The requirements on a tree of this evaluation; the rest is for the caller to set.
GrowthTask growth_task(const Evaluation& evaluation, const ForceTools& tools);

/// The cube of all ranks' particles, and the tree that the back end has grown in it; none: the particles are at home.
struct GrownTree {
  Cube cube;
  std::optional<LocalTree> tree;
};
/// Collective where there are other ranks.
GrownTree grow_tree(Evaluation& evaluation, const GrowthTask& task, ForceTools& tools, PhaseTimer& timer);

/// Splits groups of a box that are too wide for a walk.
void limit_groups(LocalTree& own, const Evaluation& evaluation, ForceTools& tools);
/// All particles of the tree as targets.
TargetView all_targets(const LocalTree& own, const Evaluation& evaluation);
/// Puts a store whose order has become slow into that of the tree, unless results are there in any order, and adds the
/// long-range force to acceleration and potential; a store with rungs also keeps it separately. For evaluations of all
/// particles, with all results delivered.
void complete(Evaluation& evaluation, const LocalTree& own, bool any_order, ForceTools& tools, PhaseTimer& timer);

}  // namespace multiwalk
