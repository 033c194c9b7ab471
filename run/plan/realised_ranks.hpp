// SPDX-License-Identifier: GPL-3.0-or-later
// A particle set with forces, to be decomposed for any number of ranks.
#pragma once

#include "decomposition/essential_trees/virtual_ranks.hpp"
#include "host/force/force_backend.hpp"
#include "host/particles/particle_system.hpp"
#include "run/plan/rank_plan.hpp"

namespace multiwalk {

class RealisedRanks {
 public:
  /// Makes or reads the particles and takes a step. Throws InputError if their forces cannot be computed.
  RealisedRanks(const Parameters& parameters, int sample, ForceBackend& backend);

  [[nodiscard]] std::uint64_t particles() const { return particles_.size(); }
  [[nodiscard]] double redshift() const { return redshift_; }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] const StepCost& cost() const { return cost_; }
  [[nodiscard]] const MeanList& list() const { return list_; }
  [[nodiscard]] const GravityOptions& walks() const { return options_.walks.options; }
  [[nodiscard]] Vec3d extent() const;

  /// Everything about the domains and their exchange, except memory and all seconds but those of cutting.
  [[nodiscard]] RankPlanRow decompose(int ranks) const;

 private:
  double local_share(const VirtualRanks& ranks) const;

  ForceBackend& backend_;
  ParticleStore particles_;
  Cube cube_;
  PairLaw law_;
  VirtualOptions options_;
  StepCost cost_;
  MeanList list_;
  double redshift_ = 0;
  int threads_ = 1;
};

}  // namespace multiwalk
