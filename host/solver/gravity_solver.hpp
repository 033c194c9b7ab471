// SPDX-License-Identifier: GPL-3.0-or-later
// Forces from a tree, made in one of two ways: by a device alone (ResidentForces) where it can, else from lists that
// host threads make (ListedForces).
#pragma once

#include "host/force/force_backend.hpp"
#include "host/force/force_statistics.hpp"
#include "host/particles/particle_store.hpp"
#include "host/solver/evaluation.hpp"
#include "host/solver/force_context.hpp"
#include "host/solver/listed_forces.hpp"
#include "host/solver/resident_forces.hpp"
#include "host/solver/size_tuner.hpp"
#include "host/tree/gravity_options.hpp"

namespace multiwalk {

/// Holds nothing between evaluations but scratch memory: results depend on the arguments alone (the relative criterion
/// reads the store's old accelerations).
class GravitySolver {
 public:
  /// `threads` 0: as many as OpenMP gives. The back end must outlive the solver.
  GravitySolver(const GravityOptions& options, ForceBackend& backend, int threads = 0);
  GravitySolver(const GravitySolver&) = delete;
  GravitySolver& operator=(const GravitySolver&) = delete;

  [[nodiscard]] const GravityOptions& options() const { return options_; }
  [[nodiscard]] int threads() const { return tools_.threads; }
  [[nodiscard]] ForceBackend& backend() const { return tools_.backend; }
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
  ForceStatistics evaluate(Evaluation evaluation);

  GravityOptions options_;
  ForceTools tools_;
  ListedForces listed_{tools_};
  ResidentForces resident_{tools_};
};

}  // namespace multiwalk
