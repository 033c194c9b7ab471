// SPDX-License-Identifier: GPL-3.0-or-later
// Forces from a tree: groups -> walks -> batches in flight. OpenMP threads walk; the back end evaluates.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "host/force/active_targets.hpp"
#include "host/force/force_backend.hpp"
#include "host/force/force_statistics.hpp"
#include "host/force/long_range.hpp"
#include "host/force/particle_feed.hpp"
#include "host/force/size_tuner.hpp"
#include "host/force/source_trees.hpp"
#include "host/force/tree_grower.hpp"
#include "host/particles/particle_store.hpp"
#include "host/tree/gravity_options.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// Everything besides the particles and the law of their pairs on which forces depend.
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

/// Holds nothing between evaluations but scratch memory: results depend on the arguments alone (the relative criterion
/// reads the store's old accelerations).
class GravitySolver {
 public:
  /// `threads` 0: as many as OpenMP gives. The back end must outlive the solver.
  GravitySolver(const GravityOptions& options, ForceBackend& backend, int threads = 0);

  [[nodiscard]] const GravityOptions& options() const { return options_; }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] ForceBackend& backend() const { return backend_; }
  /// The sizes of the next evaluations; set_sizes changes them.
  [[nodiscard]] TreeSizes sizes() const;
  void set_sizes(TreeSizes sizes);
  /// Frees scratch memory, which the next evaluation allocates again.
  void release_scratch();
  /// Whether the sizes are left to be found: no group size is given, and walks are shared.
  [[nodiscard]] bool tunable() const;
  /// Sorts the particles, builds the tree and writes acceleration and potential of each particle, and its `work`. The
  /// relative criterion takes |acceleration + background x| of the store as the old acceleration; if the store has
  /// none, an evaluation without that criterion comes first. Positions in a box lie in [0, box_size). A store with
  /// rungs also keeps the long-range part separately. `least_rung` > 0, for a store with rungs: the acceleration of a
  /// target becomes the pairs' plus the store's long_range, its potential is left as it was, and `work` is added to.
  /// Throws InputError if the back end does not evaluate the law. Collective where there are other ranks.
  ForceStatistics accelerate(ParticleStore& particles, const PairLaw& law, const ForceContext& context = {});

 private:
  struct Lane;

  /// An evaluation in progress.
  struct Evaluation {
    ParticleStore& particles;
    PairLaw law;
    ForceContext context;
    WalkSettings walks;
    ParticleFeed* to_take = nullptr;  ///< has the particles, which are not in the store yet
    ParticleFeed* results = nullptr;  ///< may be given the results
    std::optional<bool> may_share;    ///< what may_be_shared returns, if that is known
    ForceStatistics statistics{};
    bool shared = false;  ///< devices cut the trees of their kept particles for each other, and walk
  };
  /// One set of sources and the walks of the local groups through it.
  struct Sources {
    TreeView tree;
    WalkTree walk;
    bool own = false;          ///< the groups' own tree
    bool grown = false;        ///< by the back end, which has the particles and moments
    ChangedMoments changed{};  ///< of a grown tree
    bool resident = false;     ///< grown, and the back end makes the walks
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
  };

  ForceStatistics evaluate(Evaluation evaluation);
  /// Writes particles that are still to be taken to the store.
  static void fill_store(Evaluation& evaluation);
  /// Grows the own tree and has devices exchange parts of it. False, on all ranks: the particles are in the stores now.
  bool share_kept(std::optional<LocalTree>& own, Evaluation& evaluation);
  /// Forces on some of the particles that a back end keeps. False: it cannot, and the store has the particles now.
  bool evaluate_active_kept(Evaluation& evaluation);
  /// The tree grown by the back end, or built here over the sorted store or, with a least rung, over sorted copies.
  LocalTree own_tree(Evaluation& evaluation);
  LocalTree build_tree(const Evaluation& evaluation, const Cube& cube, PhaseTimer& timer);
  SortedParticles sort(const Evaluation& evaluation, const Cube& cube);
  /// Uses lasting scratch memory if that is at most ParticleStore::spare_for_speed.
  void reorder(ParticleStore& particles, std::span<const std::uint32_t> order);
  /// Splits groups of a box that are too wide for a walk.
  void limit_groups(LocalTree& own, const Evaluation& evaluation);
  /// All particles or, with a least rung, the active ones, whose groups become those of the own tree.
  Targets make_targets(LocalTree& own, const Evaluation& evaluation);
  /// Adds the long-range force to acceleration and potential; a store with rungs also keeps it separately.
  void add_long_range(const Evaluation& evaluation) const;
  /// Sends other ranks the parts of the tree that they need, and makes it ready to be walked.
  ChangedMoments share_tree(LocalTree& own, Evaluation& evaluation);
  /// Gives walks the present moments and radii of these nodes of a grown tree; returns the moments for the back end.
  ChangedMoments change_grown(LocalTree& own, std::span<const std::uint32_t> nodes);
  void evaluate_sources(const Sources& sources, const Targets& targets, Evaluation& evaluation);
  void walk_and_submit(const Pass& pass, SourceTrees* remote, ForceStatistics& statistics);
  void walk_on_device(const Pass& pass, ForceStatistics& statistics);
  void list_group(const Pass& pass, std::size_t g, Lane& lane, WalkBatch& batch) const;

  GravityOptions options_;
  ForceBackend& backend_;
  int threads_;
  SortScratch sort_scratch_;
  Octree tree_;
  std::vector<Group> groups_;
  std::vector<double> smallest_;
  std::vector<float> radius_;
  WalkFamilies families_;
  std::vector<Multipole> changed_;  ///< of a grown tree
  ActiveTargets targets_;
  bool reordered_ = false;  ///< in this call the particles of the store have been put into another order
};

}  // namespace multiwalk
