// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/solver/evaluation.hpp"

#include <algorithm>
#include <utility>

#include "host/force/particle_keeper.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

namespace {

/// True if many neighbours in key order are so far apart in the store that a cache does not hold both.
bool is_scattered(std::span<const std::uint32_t> order) {
  constexpr std::uint32_t near = 1 << 14;
  std::size_t jumps = 0;
#pragma omp parallel for schedule(static) reduction(+ : jumps)
  for (std::size_t i = 1; i < order.size(); ++i) jumps += order[i] - order[i - 1] + near > 2 * near ? 1 : 0;
  return jumps > order.size() / 8;
}

/// Uses lasting scratch memory if that is at most ParticleStore::spare_for_speed.
void reorder(ParticleStore& particles, std::span<const std::uint32_t> order, SortScratch& scratch) {
  if (ParticleStore::scratch_bytes(particles.size()) <= ParticleStore::spare_for_speed) {
    particles.reorder(order, scratch.moved);
  } else {
    particles.reorder(order);
  }
}

/// Returns the same value on all ranks. Collective where there are others.
Cube common_cube(const Box& mine, double box_size, SourceTrees* remote) {
  if (remote != nullptr) return remote->cube(mine, box_size);
  return box_size > 0 ? periodic_cube(box_size) : enclosing_cube(mine);
}

void add_long_range(Evaluation& evaluation, ForceBackend& backend) {
  ParticleStore& particles = evaluation.particles;
  SourceTrees* const remote = evaluation.context.remote;
  const bool kept = on_device(particles, backend);
  if ((remote != nullptr ? remote->all(kept) : kept) &&
      evaluation.context.long_range->add_on_device(particles, evaluation.law)) {
    return;
  }
  come_home(evaluation, backend);
  if (particles.has_rungs()) particles.long_range = particles.acceleration;
  evaluation.context.long_range->add(particles, evaluation.law);
  if (!particles.has_rungs()) return;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.long_range[i] = particles.acceleration[i] - particles.long_range[i];
  }
}

}  // namespace

bool on_device(const ParticleStore& particles, ForceBackend& backend) {
  ParticleKeeper* const keeper = backend.particle_keeper();
  return keeper != nullptr && keeper->keeps(particles);
}

void come_home(Evaluation& evaluation, ForceBackend& backend) {
  if (evaluation.to_take != nullptr) fill(evaluation.particles, *std::exchange(evaluation.to_take, nullptr));
  if (!on_device(evaluation.particles, backend)) return;
  backend.particle_keeper()->copy_home(Copied::all);
  backend.particle_keeper()->forget();
}

GrowthTask growth_task(const Evaluation& evaluation, const ForceTools& tools) {
  GrowthTask task{.walks = evaluation.walks};
  task.group_size = evaluation.walks.options.most_in_group(tools.backend.preferred_group_size());
  task.feed = evaluation.to_take;
  return task;
}

GrownTree grow_tree(Evaluation& evaluation, const GrowthTask& task, ForceTools& tools, PhaseTimer& timer) {
  const ParticleStore& particles = evaluation.particles;
  TreeGrower* const grower = evaluation.growth_failed ? nullptr : tools.backend.tree_grower();
  timer.enter(Phase::sort);
  std::optional<Box> taken;
  if (grower != nullptr) taken = grower->take(particles, task, timer);
  if (!taken) come_home(evaluation, tools.backend);
  GrownTree grown;
  grown.cube = common_cube(taken ? *taken : bounding_box(particles.position), evaluation.law.box_size,
                           evaluation.context.remote);
  if (taken) grown.tree = grower->grow(task, grown.cube, timer);
  if (grown.tree) {
    grown.tree->tree.position = particles.position;
    grown.tree->tree.mass = particles.mass;
  } else {
    come_home(evaluation, tools.backend);
  }
  return grown;
}

void limit_groups(LocalTree& own, const Evaluation& evaluation, ForceTools& tools) {
  const double side = evaluation.law.box_size;
  if (side == 0) return;
  const auto position = [&](std::uint32_t place) { return evaluation.particles.position[own.index(place)]; };
  JudgedGroups cut = split_wide_groups(own.groups, own.smallest, largest_periodic_cell * side, position);
  if (cut.groups.empty()) return;
  tools.groups.swap(cut.groups);
  tools.smallest.swap(cut.smallest);
  own.groups = tools.groups;
  own.smallest = tools.smallest;
}

TargetView all_targets(const LocalTree& own, const Evaluation& evaluation) {
  ParticleStore& particles = evaluation.particles;
  TargetView view{particles.position, particles.mass, particles.acceleration, particles.potential};
  view.order = own.order;
  view.work = particles.work;
  view.feed = evaluation.results;
  return view;
}

void complete(Evaluation& evaluation, const LocalTree& own, bool any_order, ForceTools& tools, PhaseTimer& timer) {
  // A device that keeps the particles knows their places in the store.
  if (!any_order && !on_device(evaluation.particles, tools.backend) && is_scattered(own.order)) {
    tools.reordered = true;
    reorder(evaluation.particles, own.order, tools.sort);
  }
  timer.enter(Phase::mesh);
  if (evaluation.context.long_range != nullptr) add_long_range(evaluation, tools.backend);
}

}  // namespace multiwalk
