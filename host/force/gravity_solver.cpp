// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/force/gravity_solver.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "host/base/error.hpp"
#include "host/force/backend_services.hpp"
#include "host/force/device_walker.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/tree/octree.hpp"
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

bool is_kept(const ParticleStore& particles, ForceBackend& backend) {
  ParticleKeeper* const keeper = backend.particle_keeper();
  return keeper != nullptr && keeper->keeps(particles);
}

/// Forces on some of the particles are the host's work unless they are kept, and so is everything on several ranks.
bool may_be_resident(ForceBackend& backend, const ForceContext& context, const ParticleStore& particles) {
  return backend.device_walker() != nullptr &&
         ((context.least_rung == 0 && context.remote == nullptr) || is_kept(particles, backend));
}

/// Whether devices can exchange trees in this evaluation, if all have their rank's particles.
bool allows_sharing(const ForceContext& context, const PairLaw& law) {
  return context.remote != nullptr && context.remote->exchange() != nullptr && law.box_size == 0 &&
         context.least_rung == 0;
}

/// Whether devices exchange their trees. The same on all ranks; collective.
bool may_be_shared(ForceBackend& backend, const ForceContext& context, const ParticleStore& particles,
                   const PairLaw& law) {
  return allows_sharing(context, law) && context.remote->all(may_be_resident(backend, context, particles));
}

/// The host works on these particles from now on, even if a device has kept them.
void bring_home(ParticleStore& particles, ForceBackend& backend) {
  if (!is_kept(particles, backend)) return;
  backend.particle_keeper()->copy_home();
  backend.particle_keeper()->forget();
}

/// Returns the same value on all ranks. Collective where there are others.
Cube common_cube(const Box& mine, double box_size, SourceTrees* remote) {
  if (remote != nullptr) return remote->cube(mine, box_size);
  return box_size > 0 ? periodic_cube(box_size) : enclosing_cube(mine);
}

}  // namespace

GravitySolver::GravitySolver(const GravityOptions& options, ForceBackend& backend, int threads)
    : options_(options), backend_(backend), threads_(threads > 0 ? threads : omp_get_max_threads()) {
  if (!(options.theta > 0)) throw InputError("force.theta must be > 0");
}

TreeSizes GravitySolver::sizes() const {
  return {options_.group_size > 0 ? options_.group_size : backend_.preferred_group_size(), options_.leaf_size};
}

void GravitySolver::set_sizes(TreeSizes sizes) {
  options_.group_size = sizes.group;
  options_.leaf_size = sizes.leaf;
}

bool GravitySolver::tunable() const {
  return options_.group_size == 0 && !options_.walks_singly() && !backend_.all_pairs();
}

ForceStatistics GravitySolver::accelerate(ParticleStore& particles, const PairLaw& law, const ForceContext& context) {
  require(context.least_rung == 0 || particles.has_rungs(), "the particles have no rungs");
  ParticleFeed* to_take = context.feed;
  reordered_ = false;
  std::optional<bool> may_share;
  const auto evaluate_by = [&](const GravityOptions& options, ParticleFeed* results) {
    PairLaw used = law;
    used.order = options.multipole;
    used.expansion = options.expansion;
    if (options.walks_singly() || !backend_.expands(used)) used.expansion = 0;
    return evaluate({particles, used, context, {options, used, context.background}, to_take, results, may_share});
  };
  if (!options_.relative() || context.least_rung > 0) return evaluate_by(options_, context.feed);
  bool first = to_take != nullptr ? !to_take->knows_accelerations()
                                  : std::all_of(particles.acceleration.begin(), particles.acceleration.end(),
                                                [](Vec3f a) { return a == Vec3f{}; });
  if (context.remote != nullptr) {
    const auto [all_first, all_resident] =
        context.remote->all_of(std::array{first, may_be_resident(backend_, context, particles)});
    first = all_first;
    if (!first) may_share = allows_sharing(context, law) && all_resident;
  }
  ForceStatistics statistics;
  if (first) {
    if (to_take != nullptr) fill(particles, *std::exchange(to_take, nullptr));
    GravityOptions start = options_;
    static_cast<OpeningCriterion&>(start) = options_.without_accelerations();
    statistics = evaluate_by(start, nullptr);
  }
  // Results go to the feed only in its own order.
  return statistics += evaluate_by(options_, reordered_ ? nullptr : context.feed);
}

void GravitySolver::release_scratch() {
  sort_scratch_ = {};
  tree_ = {};
  families_ = {};
}

SortedParticles GravitySolver::sort(const Evaluation& evaluation, const Cube& cube) {
  ParticleStore& particles = evaluation.particles;
  // Forces on a few are not worth moving all arrays of the store.
  if (evaluation.context.least_rung > 0) return sort_copies(particles, cube, sort_scratch_);
  // Results are overwritten, but the relative criterion reads the old accelerations.
  const SetAside potential(particles.potential);
  const SetAside work(particles.work);
  std::optional<SetAside<Vec3f>> acceleration;
  if (!evaluation.walks.options.relative()) acceleration.emplace(particles.acceleration);
  sort_by_key(particles, cube, sort_scratch_);
  reordered_ = true;
  return {particles.position, particles.mass, particles.key};
}

LocalTree GravitySolver::build_tree(const Evaluation& evaluation, const Cube& cube, PhaseTimer& timer) {
  const GravityOptions& options = evaluation.walks.options;
  const SortedParticles sorted = sort(evaluation, cube);
  timer.enter(Phase::tree);
  build_octree(sorted, cube, {options.leaf_size}, tree_);
  const TreeView tree = tree_.view();
  std::span<const std::uint32_t> order;
  if (evaluation.context.least_rung > 0) order = sort_scratch_.order;
  groups_ = make_groups(tree, options.most_in_group(backend_.preferred_group_size()));
  smallest_.clear();
  if (options.relative()) {
    smallest_ =
        smallest_accelerations(tree, groups_, evaluation.particles.acceleration, evaluation.walks.background, order);
  }
  return {evaluation.walks, tree, tree_.multipole(), {}, groups_, smallest_, order};
}

void GravitySolver::fill_store(Evaluation& evaluation) {
  if (evaluation.to_take != nullptr) fill(evaluation.particles, *std::exchange(evaluation.to_take, nullptr));
}

LocalTree GravitySolver::own_tree(Evaluation& evaluation) {
  const ParticleStore& particles = evaluation.particles;
  SourceTrees* const remote = evaluation.context.remote;
  TreeGrower* const grower = backend_.tree_grower();
  const GrowthTask task{evaluation.walks,
                        evaluation.walks.options.most_in_group(backend_.preferred_group_size()),
                        remote != nullptr && !evaluation.shared,
                        may_be_resident(backend_, evaluation.context, particles),
                        evaluation.shared,
                        evaluation.to_take};
  PhaseTimer timer;
  timer.enter(Phase::sort);
  std::optional<Box> taken;
  if (grower != nullptr) taken = grower->take(particles, task, timer);
  if (!taken) {
    fill_store(evaluation);
    bring_home(evaluation.particles, backend_);
  }
  const Cube cube = common_cube(taken ? *taken : bounding_box(particles.position), evaluation.law.box_size, remote);
  std::optional<LocalTree> own;
  if (taken) own = grower->grow(task, cube, timer);
  if (own) {
    own->tree.position = particles.position;
    own->tree.mass = particles.mass;
  } else {
    fill_store(evaluation);
    bring_home(evaluation.particles, backend_);
    timer.enter(Phase::sort);
    own = build_tree(evaluation, cube, timer);
  }
  evaluation.statistics.add(timer.seconds());
  return *own;
}

void GravitySolver::limit_groups(LocalTree& own, const Evaluation& evaluation) {
  const double side = evaluation.law.box_size;
  if (side == 0) return;
  const auto position = [&](std::uint32_t place) { return evaluation.particles.position[own.index(place)]; };
  JudgedGroups cut = split_wide_groups(own.groups, own.smallest, largest_periodic_cell * side, position);
  if (cut.groups.empty()) return;
  groups_.swap(cut.groups);
  smallest_.swap(cut.smallest);
  own.groups = groups_;
  own.smallest = smallest_;
}

GravitySolver::Targets GravitySolver::make_targets(LocalTree& own, const Evaluation& evaluation) {
  ParticleStore& particles = evaluation.particles;
  const int least = evaluation.context.least_rung;
  if (least == 0) {
    Targets all{own.groups, own.smallest,
                {},         {particles.position, particles.mass, particles.acceleration, particles.potential},
                own.order,  particles.work,
                false};
    all.view.order = own.order;
    all.view.work = particles.work;
    all.view.feed = evaluation.results;
    return all;
  }
  targets_.choose(particles, own, least);
  own.groups = targets_.groups();
  own.smallest = targets_.smallest();
  Targets active{own.groups,     own.smallest, targets_.runs(), targets_.view(particles), targets_.index(),
                 particles.work, true};
  if (own.grown()) active.view.order = own.order;
  return active;
}

void GravitySolver::reorder(ParticleStore& particles, std::span<const std::uint32_t> order) {
  reordered_ = true;
  if (ParticleStore::scratch_bytes(particles.size()) <= ParticleStore::spare_for_speed) {
    particles.reorder(order, sort_scratch_.moved);
  } else {
    particles.reorder(order);
  }
}

void GravitySolver::add_long_range(const Evaluation& evaluation) const {
  ParticleStore& particles = evaluation.particles;
  if (is_kept(particles, backend_) && evaluation.context.long_range->add_to_kept(evaluation.law)) return;
  bring_home(particles, backend_);
  if (particles.has_rungs()) particles.long_range = particles.acceleration;
  evaluation.context.long_range->add(particles, evaluation.law);
  if (!particles.has_rungs()) return;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.long_range[i] = particles.acceleration[i] - particles.long_range[i];
  }
}

ChangedMoments GravitySolver::share_tree(LocalTree& own, Evaluation& evaluation) {
  SourceTrees* const remote = evaluation.context.remote;
  if (own.grown() && (remote == nullptr || evaluation.shared)) return {};
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

bool GravitySolver::share_kept(std::optional<LocalTree>& own, Evaluation& evaluation) {
  SourceTrees& remote = *evaluation.context.remote;
  own = own_tree(evaluation);
  PhaseTimer timer;
  timer.enter(Phase::let);
  evaluation.shared = backend_.device_walker()->share_tree(*remote.exchange(), evaluation.walks, own->resident);
  evaluation.statistics.add(timer.seconds());
  if (!evaluation.shared) bring_home(evaluation.particles, backend_);
  return evaluation.shared;
}

ChangedMoments GravitySolver::change_grown(LocalTree& own, std::span<const std::uint32_t> nodes) {
  const WalkSettings& walks = own.walks;
  rewrite_families(own.families, own.tree, own.radius, walks.options, walks.gravitational_constant, nodes);
  changed_.resize(nodes.size());
  std::ranges::transform(nodes, changed_.begin(), [&](std::uint32_t n) { return own.multipole[n]; });
  return {nodes, changed_};
}

ForceStatistics GravitySolver::evaluate(Evaluation evaluation) {
  SourceTrees* const remote = evaluation.context.remote;
  ParticleStore& particles = evaluation.particles;
  ForceStatistics& statistics = evaluation.statistics;
  if (remote != nullptr && backend_.all_pairs()) {
    throw InputError("run.backend = \"" + std::string(backend_.name()) +
                     "\" sums over one rank's particles: start it without mpiexec");
  }
  if (!backend_.evaluates(evaluation.law)) {
    throw InputError(std::string(backend_.name()) + " cannot evaluate forces in " +
                     (evaluation.law.box_size > 0 ? "a periodic box" : "a vacuum"));
  }
  statistics.threads = threads_;
  if (evaluation.law.box_size > 0) {  // the host divides wide groups, and adds what meshes contribute
    fill_store(evaluation);
    evaluation.results = nullptr;
  }
  if (evaluation.context.least_rung > 0 && evaluate_active_kept(evaluation)) return statistics;
  evaluation.shared = evaluation.may_share ? *evaluation.may_share
                                           : may_be_shared(backend_, evaluation.context, particles, evaluation.law);
  if (remote != nullptr && !evaluation.shared) bring_home(particles, backend_);
  std::optional<LocalTree> tree;
  if (!evaluation.shared || !share_kept(tree, evaluation)) tree = own_tree(evaluation);
  LocalTree& own = *tree;
  limit_groups(own, evaluation);
  Targets targets = make_targets(own, evaluation);
  const ChangedMoments changed = share_tree(own, evaluation);
  evaluate_sources({own.tree, own.walk, true, own.grown(), changed, own.resident}, targets, evaluation);
  targets.view.own_tree = false;
  targets.view.accumulate = true;
  targets.view.unchanged = true;
  while (remote != nullptr && !evaluation.shared) {
    const double start = wall_time();
    const SourceTree* sources = remote->next();
    statistics.seconds[static_cast<std::size_t>(Phase::let)] += wall_time() - start;
    if (sources == nullptr) break;
    evaluate_sources({sources->tree, sources->families->view()}, targets, evaluation);
  }
  PhaseTimer timer;
  timer.enter(Phase::transfer);
  const bool any_order = backend_.deliver() && !particles.has_rungs();  // rungs are looked up by place
  timer.enter(Phase::sort);
  const bool all = evaluation.context.least_rung == 0;
  if (!all) targets_.store(particles);
  if (all && !any_order && is_scattered(own.order)) reorder(particles, own.order);
  timer.enter(Phase::mesh);
  if (all && evaluation.context.long_range != nullptr) add_long_range(evaluation);
  statistics.add(timer.seconds());
  statistics.delivering = timer.seconds()[static_cast<std::size_t>(Phase::transfer)];
  return statistics;
}

void GravitySolver::evaluate_sources(const Sources& sources, const Targets& targets, Evaluation& evaluation) {
  if (targets.groups.empty() && !sources.resident) return;
  ForceStatistics part;
  part.threads = threads_;
  const double began = wall_time();
  if (sources.grown) {
    backend_.tree_grower()->begin_grown(evaluation.law, sources.changed, targets.view, threads_);
  } else {
    backend_.begin(evaluation.law, sources.tree, targets.view, threads_);
  }
  const double start = wall_time();
  const Pass pass{sources, targets, evaluation.walks};
  if (sources.resident) {
    walk_on_device(pass, part);
  } else {
    walk_and_submit(pass, sources.own ? evaluation.context.remote : nullptr, part);
  }
  const double before_collect = wall_time();
  part.backend = backend_.collect();
  // All lanes wait in collect, so its wall time counts once for each.
  part.waiting = std::max(part.backend.wait, part.waiting + (wall_time() - before_collect) * threads_);
  part.wall = wall_time() - start;
  part.charge_region(backend_.overlaps());
  part.seconds[static_cast<std::size_t>(Phase::transfer)] += start - began;
  if (!sources.own) part.remote = part.wall;
  evaluation.statistics += part;
}

bool GravitySolver::evaluate_active_kept(Evaluation& evaluation) {
  DeviceWalker* const walker = backend_.device_walker();
  const ForceContext& context = evaluation.context;
  if (walker == nullptr || !is_kept(evaluation.particles, backend_)) return false;
  if ((context.new_tree || !walker->has_tree()) && !own_tree(evaluation).resident) {
    bring_home(evaluation.particles, backend_);
    return false;
  }
  ForceStatistics part;
  part.threads = threads_;
  const double start = wall_time();
  const MadeWalks made = walker->walk_active({evaluation.walks, evaluation.law, context.least_rung});
  part.backend = backend_.collect();
  part.raw = made.raw;
  part.wall = wall_time() - start - made.following;
  part.walking = made.seconds * threads_;
  part.waiting = std::max(0.0, part.wall - made.seconds) * threads_;
  part.seconds[static_cast<std::size_t>(Phase::tree)] += made.following;
  part.charge_region(true);
  evaluation.statistics += part;
  return true;
}

}  // namespace multiwalk
