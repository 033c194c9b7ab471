// SPDX-License-Identifier: GPL-3.0-or-later
// Forces from a tree: groups -> walks -> batches in flight. OpenMP threads walk; the back end evaluates.
#pragma once

#include <span>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "host/force/active_targets.hpp"
#include "host/force/force_backend.hpp"
#include "host/force/gravity_options.hpp"
#include "host/force/long_range.hpp"
#include "host/force/size_tuner.hpp"
#include "host/force/source_trees.hpp"
#include "host/particles/particle_store.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/group.hpp"
#include "host/walk/raw_count.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// What one evaluation did and took; the relative MAC's first evaluation includes the one that it starts from.
struct ForceStatistics {
  RawCount raw;
  PhaseSeconds seconds{};  ///< exclusive wall time by phase; sums to the evaluation's
  BackendTimes backend;    ///< summed over lanes; overlapped work counts fully
  double walking = 0;      ///< seconds of walking, summed over threads
  double waiting = 0;      ///< seconds threads waited for the back end, summed over threads
  double wall = 0;         ///< wall time from the first walk to the last force
  double imbalance = 1;    ///< busiest thread / mean, over all source trees
  double remote = 0;       ///< seconds of the walls above that went into other ranks' trees
  double delivering = 0;   ///< wall time of the transfer of results alone
  int threads = 1;

  void add(const PhaseSeconds& more);
  /// Seconds of the work that depends on the sizes of groups and leaves: all but sorting, the mesh, the transfer of
  /// results, and sending to or waiting for other ranks.
  [[nodiscard]] double seconds_of_sizes() const;
  ForceStatistics& operator+=(const ForceStatistics& other);
};

/// Holds nothing between evaluations but scratch memory: results depend on the arguments alone (the relative MAC reads
/// the store's old accelerations).
class GravitySolver {
 public:
  /// `threads` 0: all OpenMP gives. The back end must outlive the solver.
  GravitySolver(const GravityOptions& options, ForceBackend& backend, int threads = 0);

  [[nodiscard]] const GravityOptions& options() const { return options_; }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] ForceBackend& backend() const { return backend_; }
  /// What the next evaluations use, unless set_sizes says otherwise.
  [[nodiscard]] TreeSizes sizes() const;
  void set_sizes(TreeSizes sizes);
  /// Frees scratch memory, which the next evaluation takes again.
  void release_scratch();
  /// Whether the sizes are left to be found: no group size is given, and walks are shared.
  [[nodiscard]] bool tunable() const;
  /// Sorts the particles, builds the tree and writes acceleration and potential of each particle. The relative MAC
  /// takes |acceleration + background x| of the store as the old acceleration; a store without any gets a Barnes (1990)
  /// evaluation first. `remote`: the trees of other ranks, whose forces are added; collective then. Also writes each
  /// particle's `work`. A law with a split takes long_range; positions in a box lie in [0, box_size). A store with
  /// rungs keeps the long-range part apart too. `least_rung` > 0, for a store with rungs: only particles of this rung
  /// and deeper are targets; their acceleration becomes the pairs' plus the store's long_range, their potential is left
  /// as it was, and `work` is added to. Throws InputError if the back end does not serve the law.
  ForceStatistics accelerate(ParticleStore& particles, const PairLaw& law, double background = 0,
                             SourceTrees* remote = nullptr, LongRangeForce* long_range = nullptr, int least_rung = 0);

 private:
  struct Lane;

  [[nodiscard]] std::uint32_t group_size() const;

  /// One set of sources and the walks of the local groups through it.
  struct Sources {
    TreeView tree;
    WalkTree walk;
    bool own;                ///< the groups' own tree
    bool grown;              ///< by the back end, which has the particles and moments
    ChangedMoments changed;  ///< of a grown tree
  };
  /// The tree of the store's own particles.
  struct OwnTree {
    TreeView tree;
    std::span<Multipole> multipole;
    std::span<Group> groups;
    std::span<const double> smallest;
    WalkTree walk;
    const GrownTree* grown = nullptr;      ///< null: built here
    std::span<const std::uint32_t> order;  ///< index in the store of each place; empty: the store is in this order
    ChangedMoments changed;                ///< of a grown tree
  };
  struct Targets {
    std::span<const Group> groups;
    std::span<const double> smallest;
    std::span<const ParticleRange> runs;  ///< of each group, its targets in the view; empty: all its places
    TargetView view;
    std::span<const std::uint32_t> index;  ///< in the store, of each element of the view; empty: the same
    std::span<float> work;
    bool work_begun;  ///< the walks' interactions are added to it
  };

  ForceStatistics evaluate(ParticleStore& particles, const PairLaw& law, double background,
                           const GravityOptions& options, SourceTrees* remote, LongRangeForce* long_range,
                           int least_rung);
  /// The tree of the present evaluation: grown by the back end, or built here, over the sorted store or (`least` > 0)
  /// over sorted copies.
  OwnTree own_tree(ParticleStore& particles, const PairLaw& law, double background, SourceTrees* remote, int least,
                   PhaseSeconds& seconds);
  /// In a box, no group is wider than a walk can serve.
  void limit_groups(OwnTree& own, const ParticleStore& particles, const PairLaw& law);
  OwnTree build_tree(ParticleStore& particles, const Cube& cube, double background, int least, PhaseTimer& timer);
  SortedParticles sort(ParticleStore& particles, const Cube& cube, int least);
  /// Uses lasting scratch memory if it takes at most ParticleStore::spare_for_speed.
  void reorder(ParticleStore& particles, std::span<const std::uint32_t> order);
  /// All particles, or from rung `least` on the active ones; these become the own tree's groups.
  Targets make_targets(OwnTree& own, ParticleStore& particles, double background, int least);
  /// Adds it to acceleration and potential, and keeps it apart in a store with rungs.
  static void add_long_range(LongRangeForce& force, ParticleStore& particles, const PairLaw& law);
  /// Lets others have what they need of it, and makes it ready to be walked.
  void share_tree(OwnTree& own, const PairLaw& law, SourceTrees* remote, ForceStatistics& statistics);
  /// Walks, and the back end, see the moments and radii that these nodes have now.
  void change_grown(OwnTree& own, std::span<const std::uint32_t> nodes, const PairLaw& law);
  void evaluate_sources(const Sources& sources, Targets& targets, const PairLaw& law, SourceTrees* remote,
                        ForceStatistics& statistics);
  void walk_and_submit(const Sources& sources, const Targets& targets, SourceTrees* remote,
                       ForceStatistics& statistics);
  void list_group(const Sources& sources, const Targets& targets, std::size_t g, Lane& lane, WalkBatch& batch) const;

  GravityOptions options_;
  GravityOptions active_;     ///< of the evaluation in progress
  double cutoff_ = INFINITY;  ///< likewise: of pair forces
  ForceBackend& backend_;
  int threads_;
  SortScratch sort_scratch_;
  Octree tree_;
  std::vector<Group> groups_;
  std::vector<double> smallest_;
  std::vector<float> radius_;
  WalkFamilies families_;
  std::vector<Multipole> changed_;  ///< a grown tree's
  ActiveTargets targets_;
};

}  // namespace multiwalk
