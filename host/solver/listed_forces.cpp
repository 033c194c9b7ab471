// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/solver/listed_forces.hpp"

#include <algorithm>
#include <optional>

#include "host/base/phase_timer.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

void ListedForces::evaluate(Evaluation& evaluation) {
  if (evaluation.context.remote != nullptr) come_home(evaluation, tools_.backend);
  LocalTree own = own_tree(evaluation);
  limit_groups(own, evaluation, tools_);
  Targets targets = make_targets(own, evaluation);
  const ChangedMoments changed = share_tree(own, evaluation);
  evaluate_sources({own.tree, own.walk, true, own.grown(), changed}, targets, evaluation);
  if (evaluation.context.remote != nullptr) evaluate_remote(targets, evaluation);
  PhaseTimer timer;
  timer.enter(Phase::transfer);
  const bool any_order = tools_.backend.deliver() && !evaluation.particles.has_rungs();  // rungs are found by place
  timer.enter(Phase::sort);
  if (evaluation.of_all()) {
    complete(evaluation, own, any_order, tools_, timer);
  } else {
    targets_.store(evaluation.particles);
  }
  evaluation.statistics.add(timer.seconds());
  evaluation.statistics.delivering = timer.seconds()[static_cast<std::size_t>(Phase::transfer)];
}

void ListedForces::release_scratch() {
  tree_ = {};
  families_ = {};
}

SortedParticles ListedForces::sort(const Evaluation& evaluation, const Cube& cube) {
  ParticleStore& particles = evaluation.particles;
  // Forces on a few are not worth moving all arrays of the store.
  if (!evaluation.of_all()) return sort_copies(particles, cube, tools_.sort);
  // Results are overwritten, but the relative criterion reads the old accelerations.
  const SetAside potential(particles.potential);
  const SetAside work(particles.work);
  std::optional<SetAside<Vec3f>> acceleration;
  if (!evaluation.walks.options.relative()) acceleration.emplace(particles.acceleration);
  sort_by_key(particles, cube, tools_.sort);
  tools_.reordered = true;
  return {particles.position, particles.mass, particles.key};
}

LocalTree ListedForces::build_tree(const Evaluation& evaluation, const Cube& cube, PhaseTimer& timer) {
  const GravityOptions& options = evaluation.walks.options;
  timer.enter(Phase::sort);
  const SortedParticles sorted = sort(evaluation, cube);
  timer.enter(Phase::tree);
  build_octree(sorted, cube, {options.leaf_size}, tree_);
  const TreeView tree = tree_.view();
  std::span<const std::uint32_t> order;
  if (!evaluation.of_all()) order = tools_.sort.order;
  tools_.groups = make_groups(tree, options.most_in_group(tools_.backend.preferred_group_size()));
  tools_.smallest.clear();
  if (options.relative()) {
    tools_.smallest = smallest_accelerations(tree, tools_.groups, evaluation.particles.acceleration,
                                             evaluation.walks.background, order);
  }
  return {evaluation.walks, tree, tree_.multipole(), {}, tools_.groups, tools_.smallest, order};
}

LocalTree ListedForces::own_tree(Evaluation& evaluation) {
  if (evaluation.grown) return *evaluation.grown;
  GrowthTask task = growth_task(evaluation, tools_);
  task.whole = evaluation.context.remote != nullptr;
  PhaseTimer timer;
  GrownTree grown = grow_tree(evaluation, task, tools_, timer);
  const LocalTree own = grown.tree ? *grown.tree : build_tree(evaluation, grown.cube, timer);
  evaluation.statistics.add(timer.seconds());
  return own;
}

ListedForces::Targets ListedForces::make_targets(LocalTree& own, const Evaluation& evaluation) {
  ParticleStore& particles = evaluation.particles;
  if (evaluation.of_all()) {
    return {own.groups, own.smallest, {}, all_targets(own, evaluation), own.order, particles.work, false};
  }
  targets_.choose(particles, own, evaluation.context.least_rung);
  own.groups = targets_.groups();
  own.smallest = targets_.smallest();
  Targets active{own.groups,     own.smallest, targets_.runs(), targets_.view(particles), targets_.index(),
                 particles.work, true};
  if (own.grown()) active.view.order = own.order;
  return active;
}

ChangedMoments ListedForces::share_tree(LocalTree& own, Evaluation& evaluation) {
  SourceTrees* const remote = evaluation.context.remote;
  if (own.grown() && remote == nullptr) return {};
  PhaseTimer timer;
  timer.enter(Phase::tree);
  if (!own.grown()) {
    make_opening_radii(own.tree, own.walks.options, radius_);
    own.radius = radius_;
  }
  std::span<const std::uint32_t> nodes;
  if (remote != nullptr) {
    timer.enter(Phase::let);
    nodes = remote->begin(own);
    timer.enter(Phase::tree);
  }
  ChangedMoments changed;
  if (own.grown()) {
    changed = change_grown(own, nodes);
  } else {
    families_.make(own.tree, own.radius, own.walks.options, own.walks.gravitational_constant);
    own.walk = families_.view();
  }
  evaluation.statistics.add(timer.seconds());
  return changed;
}

ChangedMoments ListedForces::change_grown(LocalTree& own, std::span<const std::uint32_t> nodes) {
  const WalkSettings& walks = own.walks;
  rewrite_families(own.families, own.tree, own.radius, walks.options, walks.gravitational_constant, nodes);
  changed_.resize(nodes.size());
  std::ranges::transform(nodes, changed_.begin(), [&](std::uint32_t n) { return own.multipole[n]; });
  return {nodes, changed_};
}

void ListedForces::evaluate_remote(Targets& targets, Evaluation& evaluation) {
  targets.view.own_tree = false;
  targets.view.accumulate = true;
  targets.view.unchanged = true;
  while (true) {
    const double start = wall_time();
    const SourceTree* sources = evaluation.context.remote->next();
    evaluation.statistics.seconds[static_cast<std::size_t>(Phase::let)] += wall_time() - start;
    if (sources == nullptr) return;
    evaluate_sources({sources->tree, sources->families->view()}, targets, evaluation);
  }
}

void ListedForces::evaluate_sources(const Sources& sources, const Targets& targets, Evaluation& evaluation) {
  if (targets.groups.empty()) return;
  ForceBackend& backend = tools_.backend;
  ForceStatistics part;
  part.threads = tools_.threads;
  const double began = wall_time();
  const bool counted =
      sources.grown ? backend.tree_grower()->begin_grown(evaluation.law, sources.changed, targets.view, tools_.threads)
                    : backend.begin(evaluation.law, sources.tree, targets.view, tools_.threads);
  const double start = wall_time();
  walk_and_submit({sources, targets, evaluation.walks, !counted}, sources.own ? evaluation.context.remote : nullptr,
                  part);
  const double before_collect = wall_time();
  part.backend = backend.collect();
  // All lanes wait in collect, so its wall time counts once for each.
  part.waiting = std::max(part.backend.wait, part.waiting + (wall_time() - before_collect) * tools_.threads);
  part.wall = wall_time() - start;
  part.charge_region(backend.overlaps());
  part.seconds[static_cast<std::size_t>(Phase::transfer)] += start - began;
  if (!sources.own) part.remote = part.wall;
  evaluation.statistics += part;
}

}  // namespace multiwalk
