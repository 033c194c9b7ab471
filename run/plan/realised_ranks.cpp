// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/realised_ranks.hpp"

#include <omp.h>

#include <algorithm>

#include "ic/models/model.hpp"
#include "run/evolve/simulation.hpp"
#include "run/evolve/starting_system.hpp"

namespace multiwalk {

namespace {

StepCost cost_of(const StepRecord& step, double particles) {
  const PhaseSeconds seconds = step.ranks.mean_seconds();
  StepCost cost;
  for (const Phase phase : {Phase::sort, Phase::tree, Phase::integration}) {
    cost.by_number += seconds[static_cast<std::size_t>(phase)];
  }
  cost.by_work = (total(seconds) - cost.by_number) / particles;
  cost.by_number /= particles;
  return cost;
}

/// Sets OpenMP's threads while it exists: small sets would wait longer for threads than they work.
class FewerThreads {
 public:
  explicit FewerThreads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~FewerThreads() { omp_set_num_threads(before_); }
  FewerThreads(const FewerThreads&) = delete;
  FewerThreads& operator=(const FewerThreads&) = delete;

 private:
  int before_;
};

}  // namespace

RealisedRanks::RealisedRanks(const Parameters& parameters, int sample, ForceBackend& backend) : backend_(backend) {
  Parameters used = parameters;
  used.time.steps = Steps::global;  // a step is one evaluation then
  ParticleSystem system = starting_system(used);
  redshift_ = system.frame == Frame::comoving ? 1 / system.time - 1 : 0;
  Simulation simulation(used, std::move(system), backend);
  simulation.start();
  const StepRecord step = simulation.step(simulation.next_time());
  const auto particles = static_cast<double>(std::max<std::uint64_t>(simulation.particle_count(), 1));
  cost_ = cost_of(step, particles);
  list_ = MeanList(step.raw, particles);
  threads_ = simulation.forces().threads;
  law_ = simulation.pair_law();
  particles_ = simulation.on_host().particles;
  cube_ = law_.box_size > 0 ? periodic_cube(law_.box_size) : enclosing_cube(bounding_box(particles_.position));
  sort_by_key(particles_, cube_);
  GravityOptions walks = simulation.walk_options();
  walks.group_size = used.force.group_size > 0 ? used.force.group_size : backend.preferred_group_size();
  walks.leaf_size = used.force.leaf_size;
  options_.walks = {walks, law_, simulation.background()};
  options_.sections = multisection_options(used.decomposition);
  options_.sections.grid = {0, 0, 0};
  options_.owners = sample;
}

Vec3d RealisedRanks::extent() const {
  if (particles_.empty()) return {1, 1, 1};
  const Box box = bounding_box(particles_.position);
  return box.hi - box.lo;
}

/// Work of some ranks' walks through their own trees compared with all their work.
double RealisedRanks::local_share(const VirtualRanks& ranks) const {
  constexpr std::uint64_t worth_threads = 20000;
  const int threads = particles_.size() / static_cast<std::uint64_t>(ranks.ranks()) < worth_threads ? 1 : threads_;
  const FewerThreads few(threads);
  GravitySolver solver(options_.walks.options, backend_, threads);
  double own = 0, all = 0;
  for (const int r : ranks.draw(std::clamp(ranks.ranks() / 4, 1, options_.owners))) {
    ParticleStore store = ranks.store_of(r);
    if (store.empty()) continue;
    solver.accelerate(store, law_, {.background = options_.walks.background});
    for (const float work : store.work) own += static_cast<double>(work);
    all += ranks.work_of(r);
  }
  return all > 0 ? std::min(1.0, own / all) : 1;
}

RankPlanRow RealisedRanks::decompose(int ranks) const {
  const VirtualRanks virtual_ranks(particles_, cube_, ranks, options_);
  RankPlanRow row;
  row.ranks = row.realised_ranks = ranks;
  row.grid = virtual_ranks.grid();
  row.particles = static_cast<double>(particles_.size()) / ranks;
  double most_work = 0, all_work = 0;
  for (int r = 0; r < ranks; ++r) {
    row.most_particles = std::max(row.most_particles, static_cast<double>(virtual_ranks.particles_of(r)));
    most_work = std::max(most_work, virtual_ranks.work_of(r));
    all_work += virtual_ranks.work_of(r);
  }
  if (all_work > 0) row.work_imbalance = most_work * ranks / all_work;
  row.exchange = virtual_ranks.exchange();
  row.local_share = local_share(virtual_ranks);
  return row;
}

}  // namespace multiwalk
