// SPDX-License-Identifier: GPL-3.0-or-later
// Forces from lists (Hamada et al. 2009): host threads walk the tree for groups of particles, and the back end turns
// batches of lists into forces, on SIMD units or on devices, while the threads walk on.
#pragma once

#include <span>
#include <vector>

#include "host/solver/active_targets.hpp"
#include "host/solver/evaluation.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

class ListedForces {
 public:
  /// The tools must outlive it.
  explicit ListedForces(ForceTools& tools) : tools_(tools) {}

  /// Makes the evaluation. Collective where there are other ranks.
  void evaluate(Evaluation& evaluation);
  /// Frees scratch memory, which the next evaluation allocates again.
  void release_scratch();

 private:
  struct Lane;
  class Failure;

  /// One set of sources and the walks of the local groups through it.
  struct Sources {
    TreeView tree;
    WalkTree walk;
    bool own = false;          ///< the groups' own tree
    bool grown = false;        ///< by the back end, which has the particles and moments
    ChangedMoments changed{};  ///< of a grown tree
  };
  struct Targets {
    std::span<const Group> groups;
    std::span<const double> smallest;
    std::span<const ParticleRange> runs;  ///< (groups) the targets of each in the view; empty: all its places
    TargetView view;
    std::span<const std::uint32_t> index;  ///< of each element of the view in the store; empty: the same
    std::span<float> work;
    bool work_begun;  ///< the walks' interactions are added to it
  };
  /// The data that threads read while they list and submit.
  struct Pass {
    const Sources& sources;
    const Targets& targets;
    const WalkSettings& walks;
    bool count_work;  ///< the back end does not
  };

  /// The tree grown by the back end, or built here over the sorted store or, with a least rung, over sorted copies.
  LocalTree own_tree(Evaluation& evaluation);
  LocalTree build_tree(const Evaluation& evaluation, const Cube& cube, PhaseTimer& timer);
  SortedParticles sort(const Evaluation& evaluation, const Cube& cube);
  /// All particles or, with a least rung, the active ones, whose groups become those of the own tree.
  Targets make_targets(LocalTree& own, const Evaluation& evaluation);
  /// Sends other ranks the parts of the tree that they need, and makes it ready to be walked.
  ChangedMoments share_tree(LocalTree& own, Evaluation& evaluation);
  /// Gives walks the present moments and radii of these nodes of a grown tree; returns the moments for the back end.
  ChangedMoments change_grown(LocalTree& own, std::span<const std::uint32_t> nodes);
  void evaluate_remote(Targets& targets, Evaluation& evaluation);
  void evaluate_sources(const Sources& sources, const Targets& targets, Evaluation& evaluation);
  /// One thread's part of a team's walks.
  void list_and_submit(const Pass& pass, SourceTrees* remote, Lane& lane, Failure& failure);
  void walk_and_submit(const Pass& pass, SourceTrees* remote, ForceStatistics& statistics);
  void list_group(const Pass& pass, std::size_t g, Lane& lane, WalkBatch& batch) const;

  ForceTools& tools_;
  Octree tree_;
  std::vector<float> radius_;
  WalkFamilies families_;
  std::vector<Multipole> changed_;  ///< of a grown tree
  ActiveTargets targets_;
};

}  // namespace multiwalk
