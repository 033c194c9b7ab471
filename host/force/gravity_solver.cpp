// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/force/gravity_solver.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>

#include "host/base/error.hpp"
#include "host/force/grown_tree.hpp"
#include "host/force/simd/simd_kernels.hpp"
#include "host/tree/acceptance.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t first_list_capacity = 1 << 14;

/// Splits the wall time of the walking region over phases in proportion to the threads' summed seconds: walking, then
/// packing and evaluating (a back end that works in the lanes), or waiting for copies and kernels (one that overlaps).
void charge_region(ForceStatistics& s, bool overlaps) {
  const BackendTimes& b = s.backend;
  const double remote = std::max(b.device + b.transfer, 1e-30);
  const double pack = overlaps ? 0 : b.pack;
  const double transfer = overlaps ? s.waiting * b.transfer / remote : 0;
  const double device = overlaps ? s.waiting * b.device / remote : b.device;
  const double idle = std::max(0.0, s.wall * s.threads - s.walking - pack - transfer - device);
  const double scale = s.wall / std::max(s.walking + pack + transfer + device + idle, 1e-30);
  const auto charge = [&](Phase phase, double seconds) {
    s.seconds[static_cast<std::size_t>(phase)] += seconds * scale;
  };
  charge(Phase::walk, s.walking);
  charge(Phase::pack, pack);
  charge(Phase::transfer, transfer);
  charge(Phase::device, device);
  charge(Phase::other, idle);
}

/// Several batches a lane, so that a device starts early and ends soon after the last walk.
std::size_t walks_per_batch(std::size_t groups, int lanes) {
  constexpr std::size_t least_walks = 32, batches = 32;
  return std::max(least_walks, groups / (static_cast<std::size_t>(lanes) * batches));
}

std::size_t entries(const WalkBatch& batch) {
  return batch.cells.size() + batch.ranges.size();
}

/// True if many neighbours in key order lie so far apart in the store that a cache does not hold both.
bool is_scattered(std::span<const std::uint32_t> order) {
  constexpr std::uint32_t near = 1 << 14;
  std::size_t jumps = 0;
#pragma omp parallel for schedule(static) reduction(+ : jumps)
  for (std::size_t i = 1; i < order.size(); ++i) jumps += order[i] - order[i - 1] + near > 2 * near ? 1 : 0;
  return jumps > order.size() / 8;
}

}  // namespace

void ForceStatistics::add(const PhaseSeconds& more) {
  for (std::size_t p = 0; p < phase_count; ++p) seconds[p] += more[p];
}

double ForceStatistics::seconds_of_sizes() const {
  double constant = delivering;
  for (const Phase phase : {Phase::sort, Phase::mesh, Phase::let}) constant += seconds[static_cast<std::size_t>(phase)];
  return total(seconds) - constant;
}

ForceStatistics& ForceStatistics::operator+=(const ForceStatistics& other) {
  raw += other.raw;
  add(other.seconds);
  backend.pack += other.backend.pack;
  backend.transfer += other.backend.transfer;
  backend.device += other.backend.device;
  backend.wait += other.backend.wait;
  walking += other.walking;
  waiting += other.waiting;
  remote += other.remote;
  delivering += other.delivering;
  imbalance = wall + other.wall > 0 ? (imbalance * wall + other.imbalance * other.wall) / (wall + other.wall) : 1;
  wall += other.wall;
  threads = other.threads;
  return *this;
}

struct GravitySolver::Lane {
  std::vector<std::uint32_t> cells, near, leaves, families;
  std::vector<ParticleRange> ranges;
  RawCount raw;
  double walking = 0;
  double waiting = 0;
  double busy = 0;

  ListBuffer empty_list(std::size_t capacity) {
    capacity = std::max(capacity, ranges.size());
    for (auto* indices : {&cells, &near, &leaves, &families}) indices->resize(capacity);
    ranges.resize(capacity);
    return {cells.data(), near.data(), ranges.data(), leaves.data(), families.data(), capacity};
  }
};

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
  return options_.group_size == 0 && options_.mac != Mac::bh86 && !backend_.all_pairs();
}

std::uint32_t GravitySolver::group_size() const {
  if (active_.mac == Mac::bh86) return 1;
  return active_.group_size > 0 ? active_.group_size : backend_.preferred_group_size();
}

ForceStatistics GravitySolver::accelerate(ParticleStore& particles, const PairLaw& law, double background,
                                          SourceTrees* remote, LongRangeForce* long_range, int least_rung) {
  require(least_rung == 0 || particles.has_rungs(), "the particles have no rungs");
  if (options_.mac != Mac::relative || least_rung > 0)
    return evaluate(particles, law, background, options_, remote, long_range, least_rung);
  bool first =
      std::all_of(particles.acceleration.begin(), particles.acceleration.end(), [](Vec3f a) { return a == Vec3f{}; });
  if (remote != nullptr) first = remote->all(first);
  ForceStatistics statistics;
  if (first) {
    GravityOptions start = options_;
    start.mac = Mac::barnes90;
    start.theta = std::min(options_.theta, 0.7);
    statistics = evaluate(particles, law, background, start, remote, long_range, 0);
  }
  return statistics += evaluate(particles, law, background, options_, remote, long_range, 0);
}

void GravitySolver::release_scratch() {
  sort_scratch_ = {};
  tree_ = {};
  families_ = {};
}

SortedParticles GravitySolver::sort(ParticleStore& particles, const Cube& cube, int least) {
  // Forces on a few are not worth moving all arrays of the store.
  if (least > 0) return sort_copies(particles, cube, sort_scratch_);
  // Results are written anew, but the relative criterion reads the old accelerations.
  const SetAside potential(particles.potential);
  const SetAside work(particles.work);
  std::optional<SetAside<Vec3f>> acceleration;
  if (active_.mac != Mac::relative) acceleration.emplace(particles.acceleration);
  sort_by_key(particles, cube, sort_scratch_);
  return {particles.position, particles.mass, particles.key};
}

GravitySolver::OwnTree GravitySolver::build_tree(ParticleStore& particles, const Cube& cube, double background,
                                                 int least, PhaseTimer& timer) {
  const SortedParticles sorted = sort(particles, cube, least);
  timer.enter(Phase::tree);
  build_octree(sorted, cube, {active_.leaf_size}, tree_);
  const TreeView tree = tree_.view();
  const std::span<const std::uint32_t> order = least > 0 ? std::span(sort_scratch_.order) : std::span<std::uint32_t>();
  groups_ = make_groups(tree, group_size());
  smallest_.clear();
  if (active_.mac == Mac::relative) {
    smallest_ = smallest_accelerations(tree, groups_, particles.acceleration, background, order);
  }
  return {tree, tree_.multipole(), groups_, smallest_, {}, nullptr, order, {}};
}

GravitySolver::OwnTree GravitySolver::own_tree(ParticleStore& particles, const PairLaw& law, double background,
                                               SourceTrees* remote, int least, PhaseSeconds& seconds) {
  std::optional<Cube> cube;
  const auto cube_of = [&](const Box& box) {
    if (!cube && remote != nullptr) cube = remote->cube(box, law.box_size);
    if (!cube) cube = law.box_size > 0 ? periodic_cube(law.box_size) : enclosing_cube(box);
    return *cube;
  };
  const GrowthTask task{active_, group_size(), law.gravitational_constant, background, cube_of, remote != nullptr};
  if (GrownTree* grown = backend_.grow(particles, task)) {
    seconds = grown->seconds;
    OwnTree own{grown->tree, grown->multipole, grown->groups, grown->smallest, grown->walk, grown, grown->order, {}};
    own.tree.position = particles.position;
    own.tree.mass = particles.mass;
    return own;
  }
  PhaseTimer timer;
  timer.enter(Phase::sort);
  const OwnTree own = build_tree(particles, cube_of(bounding_box(particles.position)), background, least, timer);
  seconds = timer.seconds();
  return own;
}

void GravitySolver::limit_groups(OwnTree& own, const ParticleStore& particles, const PairLaw& law) {
  if (law.box_size == 0) return;
  const auto position = [&](std::uint32_t place) {
    return particles.position[own.order.empty() ? place : own.order[place]];
  };
  JudgedGroups cut = split_wide_groups(own.groups, own.smallest, largest_periodic_cell * law.box_size, position);
  if (cut.groups.empty()) return;
  groups_.swap(cut.groups);
  smallest_.swap(cut.smallest);
  own.groups = groups_;
  own.smallest = smallest_;
}

GravitySolver::Targets GravitySolver::make_targets(OwnTree& own, ParticleStore& particles, double background,
                                                   int least) {
  if (least == 0) {
    Targets all{own.groups, own.smallest,
                {},         {particles.position, particles.mass, particles.acceleration, particles.potential},
                own.order,  particles.work,
                false};
    all.view.order = own.order;
    return all;
  }
  const bool grown = own.grown != nullptr;
  targets_.choose(particles, own.groups, own.smallest, own.order, grown, least, background);
  own.groups = targets_.groups();
  own.smallest = targets_.smallest();
  Targets active{own.groups,     own.smallest, targets_.runs(), targets_.view(particles), targets_.index(),
                 particles.work, true};
  if (grown) active.view.order = own.order;
  return active;
}

void GravitySolver::reorder(ParticleStore& particles, std::span<const std::uint32_t> order) {
  if (ParticleStore::scratch_bytes(particles.size()) <= ParticleStore::spare_for_speed) {
    particles.reorder(order, sort_scratch_.moved);
  } else {
    particles.reorder(order);
  }
}

void GravitySolver::add_long_range(LongRangeForce& force, ParticleStore& particles, const PairLaw& law) {
  if (particles.has_rungs()) particles.long_range = particles.acceleration;
  force.add(particles, law);
  if (!particles.has_rungs()) return;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.long_range[i] = particles.acceleration[i] - particles.long_range[i];
  }
}

void GravitySolver::share_tree(OwnTree& own, const PairLaw& law, SourceTrees* remote, ForceStatistics& statistics) {
  const GrownTree* const grown = own.grown;
  if (grown != nullptr && remote == nullptr) return;
  PhaseTimer timer;
  timer.enter(Phase::tree);
  if (grown == nullptr) make_opening_radii(own.tree, active_, radius_);
  const std::span<float> radius = grown != nullptr ? grown->radius : radius_;
  std::span<const std::uint32_t> changed;
  if (remote != nullptr) {
    timer.enter(Phase::let);
    // In a tree that was built here, the particles are already in the order of the tree.
    const std::span<const std::uint32_t> order = grown != nullptr ? own.order : std::span<const std::uint32_t>();
    changed = remote->begin({own.tree, order, own.multipole, radius, own.groups, own.smallest, active_,
                             law.gravitational_constant, cutoff_});
    timer.enter(Phase::tree);
  }
  if (grown != nullptr) {
    change_grown(own, changed, law);
  } else {
    families_.make(own.tree, radius, active_.mac, law.gravitational_constant);
    own.walk = families_.view();
  }
  statistics.add(timer.seconds());
}

void GravitySolver::change_grown(OwnTree& own, std::span<const std::uint32_t> nodes, const PairLaw& law) {
  const GrownTree& grown = *own.grown;
  rewrite_families(grown.families, own.tree, grown.radius, active_.mac, law.gravitational_constant, nodes);
  changed_.resize(nodes.size());
  std::ranges::transform(nodes, changed_.begin(), [&](std::uint32_t n) { return own.multipole[n]; });
  own.changed = {nodes, changed_};
}

ForceStatistics GravitySolver::evaluate(ParticleStore& particles, const PairLaw& law, double background,
                                        const GravityOptions& options, SourceTrees* remote, LongRangeForce* long_range,
                                        int least_rung) {
  active_ = options;
  cutoff_ = law.split.scale > 0 ? law.split.cutoff : INFINITY;
  if (remote != nullptr && backend_.all_pairs()) {
    throw InputError("run.backend = \"" + std::string(backend_.name()) +
                     "\" sums over one rank's particles: start it without mpiexec");
  }
  if (!backend_.serves(law)) {
    throw InputError(std::string(backend_.name()) + " knows no forces of " +
                     (law.box_size > 0 ? "a periodic box" : "a vacuum"));
  }
  ForceStatistics statistics;
  statistics.threads = threads_;
  PairLaw used = law;
  used.order = options.multipole;
  OwnTree own = own_tree(particles, law, background, remote, least_rung, statistics.seconds);
  limit_groups(own, particles, law);
  Targets targets = make_targets(own, particles, background, least_rung);
  share_tree(own, law, remote, statistics);
  evaluate_sources({own.tree, own.walk, true, own.grown != nullptr, own.changed}, targets, used, remote, statistics);
  targets.view.own_tree = false;
  targets.view.accumulate = true;
  targets.view.unchanged = true;
  while (remote != nullptr) {
    const double start = wall_time();
    const SourceTree* sources = remote->next();
    statistics.seconds[static_cast<std::size_t>(Phase::let)] += wall_time() - start;
    if (sources == nullptr) break;
    evaluate_sources({sources->tree, sources->families->view(), false, false, {}}, targets, used, nullptr, statistics);
  }
  PhaseTimer timer;
  timer.enter(Phase::transfer);
  const bool any_order = backend_.deliver() && !particles.has_rungs();  // rungs are looked up place by place
  timer.enter(Phase::sort);
  if (least_rung > 0) targets_.store(particles);
  if (least_rung == 0 && !any_order && is_scattered(own.order)) reorder(particles, own.order);
  timer.enter(Phase::mesh);
  if (long_range != nullptr && least_rung == 0) add_long_range(*long_range, particles, law);
  statistics.add(timer.seconds());
  statistics.delivering = timer.seconds()[static_cast<std::size_t>(Phase::transfer)];
  return statistics;
}

void GravitySolver::evaluate_sources(const Sources& sources, Targets& targets, const PairLaw& law, SourceTrees* remote,
                                     ForceStatistics& statistics) {
  if (targets.groups.empty()) return;
  ForceStatistics part;
  part.threads = threads_;
  const double began = wall_time();
  if (sources.grown) {
    backend_.begin_grown(law, sources.changed, targets.view, threads_);
  } else {
    backend_.begin(law, sources.tree, targets.view, threads_);
  }
  const double start = wall_time();
  walk_and_submit(sources, targets, remote, part);
  const double before_collect = wall_time();
  part.backend = backend_.collect();
  // Every lane waits in collect: its wall time counts once for each.
  part.waiting = std::max(part.backend.wait, (wall_time() - before_collect) * threads_);
  part.wall = wall_time() - start;
  charge_region(part, backend_.overlaps());
  part.seconds[static_cast<std::size_t>(Phase::transfer)] += start - began;
  if (!sources.own) part.remote = part.wall;
  statistics += part;
}

void GravitySolver::walk_and_submit(const Sources& sources, const Targets& targets, SourceTrees* remote,
                                    ForceStatistics& statistics) {
  std::vector<Lane> lanes(static_cast<std::size_t>(threads_));
  const std::size_t most_walks = walks_per_batch(targets.groups.size(), threads_);
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  const auto note_failure = [&] {
#pragma omp critical(multiwalk_failure)
    failure = std::current_exception();
    failed = true;
  };
#pragma omp parallel num_threads(threads_)
  {
    const int t = omp_get_thread_num();
    Lane& lane = lanes[static_cast<std::size_t>(t)];
    const double begin = wall_time();
    WalkBatch* batch = nullptr;
#pragma omp for schedule(dynamic, 4) nowait
    for (std::size_t g = 0; g < targets.groups.size(); ++g) {
      try {
        if (failed) continue;
        if (t == 0 && remote != nullptr) remote->progress();
        if (batch == nullptr) batch = &backend_.open(t);
        const double start = wall_time();
        list_group(sources, targets, g, lane, *batch);
        lane.walking += wall_time() - start;
        if (entries(*batch) >= backend_.batch_entries() || batch->walks.size() >= most_walks) {
          backend_.submit(t);
          batch = nullptr;
        }
      } catch (...) {
        note_failure();
      }
    }
    try {
      if (batch != nullptr && !batch->empty() && !failed) backend_.submit(t);
      lane.busy = wall_time() - begin;
      if (!failed) backend_.drain(t);
    } catch (...) {
      note_failure();
    }
  }
  if (failure) std::rethrow_exception(failure);
  double sum = 0, most = 0;
  for (const Lane& lane : lanes) {
    statistics.raw += lane.raw;
    statistics.walking += lane.walking;
    sum += lane.busy;
    most = std::max(most, lane.busy);
  }
  statistics.imbalance = sum > 0 ? most * threads_ / sum : 1;
}

void GravitySolver::list_group(const Sources& sources, const Targets& targets, std::size_t g, Lane& lane,
                               WalkBatch& batch) const {
  const Group& group = targets.groups[g];
  Walk walk;
  walk.centre = group.box.centre();
  const ParticleRange run = targets.runs.empty() ? ParticleRange{group.first, group.count} : targets.runs[g];
  walk.target_first = run.first;
  walk.target_count = run.count;
  walk.cell_first = static_cast<std::uint32_t>(batch.cells.size());
  walk.range_first = static_cast<std::uint32_t>(batch.ranges.size());
  if (backend_.all_pairs()) {
    walk.source_count = static_cast<std::uint32_t>(sources.tree.position.size());
    walk.range_count = 1;
    batch.ranges.push_back({0, walk.source_count});
  } else {
    const double scale = targets.smallest.empty() ? 0 : relative_scale(active_.alpha, targets.smallest[g]);
    const WalkQuery query{walk.centre,
                          group.box.half_size(),
                          scale,
                          sources.own ? group.first : 0,
                          sources.own ? group.first + group.count : 0,
                          cutoff_};
    ListBuffer list = lane.empty_list(first_list_capacity);
    while (!simd_kernels().walk(sources.walk, query, list)) list = lane.empty_list(2 * list.capacity);
    walk.cell_count = static_cast<std::uint32_t>(list.cell_count);
    walk.far_count = static_cast<std::uint32_t>(list.far_count);
    walk.range_count = static_cast<std::uint32_t>(list.range_count);
    walk.source_count = list.source_count;
    batch.cells.insert(batch.cells.end(), list.cells, list.cells + list.cell_count);
    batch.ranges.insert(batch.ranges.end(), list.ranges, list.ranges + list.range_count);
  }
  batch.walks.push_back(walk);
  lane.raw.add(walk, sources.own);
  const auto pairs = static_cast<float>(walk.source_count + walk.cell_count);
  for (std::uint32_t target = run.first; target < run.first + run.count; ++target) {
    float& work = targets.work[targets.index.empty() ? target : targets.index[target]];
    work = sources.own && !targets.work_begun ? pairs : work + pairs;
  }
}

}  // namespace multiwalk
