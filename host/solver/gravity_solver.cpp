// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/solver/gravity_solver.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "host/base/error.hpp"

namespace multiwalk {

GravitySolver::GravitySolver(const GravityOptions& options, ForceBackend& backend, int threads)
    : options_(options), tools_{backend, threads > 0 ? threads : omp_get_max_threads()} {
  if (!(options.theta > 0)) throw InputError("force.theta must be > 0");
}

TreeSizes GravitySolver::sizes() const {
  return {options_.group_size > 0 ? options_.group_size : backend().preferred_group_size(), options_.leaf_size};
}

void GravitySolver::set_sizes(TreeSizes sizes) {
  options_.group_size = sizes.group;
  options_.leaf_size = sizes.leaf;
}

bool GravitySolver::tunable() const {
  return options_.group_size == 0 && !options_.walks_singly() && !backend().all_pairs();
}

ForceStatistics GravitySolver::accelerate(ParticleStore& particles, const PairLaw& law, const ForceContext& context) {
  require(context.least_rung == 0 || particles.has_rungs(), "the particles have no rungs");
  ParticleFeed* to_take = context.feed;
  tools_.reordered = false;
  std::optional<bool> by_devices;
  const auto evaluate_by = [&](const GravityOptions& options, ParticleFeed* results) {
    PairLaw used = law;
    used.order = options.multipole;
    used.expansion = options.expansion;
    if (options.walks_singly() || !backend().expands(used)) used.expansion = 0;
    return evaluate({particles, used, context, {options, used, context.background}, to_take, results, by_devices});
  };
  if (!options_.relative() || context.least_rung > 0) return evaluate_by(options_, context.feed);
  bool first = to_take != nullptr ? !to_take->knows_accelerations()
                                  : std::all_of(particles.acceleration.begin(), particles.acceleration.end(),
                                                [](Vec3f a) { return a == Vec3f{}; });
  if (context.remote != nullptr) {
    const auto [all_first, all_suit] = context.remote->all_of(std::array{first, resident_.suits(context, particles)});
    first = all_first;
    if (!first) by_devices = ResidentForces::may_share(context) && all_suit;
  }
  ForceStatistics statistics;
  if (first) {
    if (to_take != nullptr) fill(particles, *std::exchange(to_take, nullptr));
    GravityOptions start = options_;
    static_cast<OpeningCriterion&>(start) = options_.without_accelerations();
    statistics = evaluate_by(start, nullptr);
  }
  // Results go to the feed only in its own order.
  return statistics += evaluate_by(options_, tools_.reordered ? nullptr : context.feed);
}

void GravitySolver::release_scratch() {
  tools_.sort = {};
  listed_.release_scratch();
}

ForceStatistics GravitySolver::evaluate(Evaluation evaluation) {
  const PairLaw& law = evaluation.law;
  if (evaluation.context.remote != nullptr && backend().all_pairs()) {
    throw InputError("run.backend = \"" + std::string(backend().name()) +
                     "\" sums over one rank's particles: start it without mpiexec");
  }
  if (!backend().evaluates(law)) {
    throw InputError(std::string(backend().name()) + " cannot evaluate forces in " +
                     (law.box_size > 0 ? "a periodic box" : "a vacuum"));
  }
  evaluation.statistics.threads = threads();
  if (law.box_size > 0 && evaluation.to_take != nullptr) {  // the host divides wide groups, and adds what meshes do
    fill(evaluation.particles, *std::exchange(evaluation.to_take, nullptr));
  }
  if (law.box_size > 0) evaluation.results = nullptr;
  if (!resident_.evaluate(evaluation)) listed_.evaluate(evaluation);
  return evaluation.statistics;
}

}  // namespace multiwalk
