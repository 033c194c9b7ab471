#include "host/force/gravity_solver.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "host/base/error.hpp"
#include "host/force/simd/simd_kernels.hpp"
#include "host/tree/acceptance.hpp"
#include "host/tree/octree.hpp"

namespace multiwalk {

namespace {

WalkNodesView view_of(const TreeView& tree, const WalkNodes& nodes) {
  return {tree.node.data(), nodes.x.data(),       nodes.y.data(),
          nodes.z.data(),   nodes.radius2.data(), nodes.strength.empty() ? nullptr : nodes.strength.data()};
}

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

}  // namespace

ForceStatistics& ForceStatistics::operator+=(const ForceStatistics& other) {
  raw += other.raw;
  for (std::size_t p = 0; p < phase_count; ++p) seconds[p] += other.seconds[p];
  backend.pack += other.backend.pack;
  backend.transfer += other.backend.transfer;
  backend.device += other.backend.device;
  backend.wait += other.backend.wait;
  walking += other.walking;
  waiting += other.waiting;
  wall += other.wall;
  imbalance = other.imbalance;
  threads = other.threads;
  return *this;
}

struct GravitySolver::Lane {
  std::vector<std::uint32_t> cells = std::vector<std::uint32_t>(1 << 14);
  std::vector<ParticleRange> ranges = std::vector<ParticleRange>(1 << 12);
  RawCount raw;
  double walking = 0;
  double waiting = 0;
  double busy = 0;
};

GravitySolver::GravitySolver(const GravityOptions& options, ForceBackend& backend, int threads)
    : options_(options), backend_(backend), threads_(threads > 0 ? threads : omp_get_max_threads()) {
  if (!(options.theta > 0)) throw InputError("force.theta must be > 0");
}

std::uint32_t GravitySolver::group_size() const {
  if (active_.mac == Mac::bh86) return 1;
  return active_.group_size > 0 ? active_.group_size : backend_.preferred_group_size();
}

ForceStatistics GravitySolver::accelerate(ParticleStore& particles, const PairLaw& law, double background) {
  if (options_.mac != Mac::relative) return evaluate(particles, law, background, options_);
  const bool first =
      std::all_of(particles.acceleration.begin(), particles.acceleration.end(), [](Vec3f a) { return a == Vec3f{}; });
  ForceStatistics statistics;
  if (first) {
    GravityOptions start = options_;
    start.mac = Mac::barnes90;
    start.theta = std::min(options_.theta, 0.7);
    statistics = evaluate(particles, law, background, start);
  }
  return statistics += evaluate(particles, law, background, options_);
}

ForceStatistics GravitySolver::evaluate(ParticleStore& particles, const PairLaw& law, double background,
                                        const GravityOptions& options) {
  active_ = options;
  ForceStatistics statistics;
  statistics.threads = threads_;
  PhaseTimer timer;
  timer.enter(Phase::sort);
  const Cube cube = enclosing_cube(bounding_box(particles.position));
  sort_by_key(particles, cube, sort_scratch_);
  timer.enter(Phase::tree);
  build_octree(particles, cube, {options.leaf_size}, tree_);
  const TreeView tree = tree_.view();
  const std::vector<Group> groups = make_groups(tree, group_size());
  const std::vector<double> smallest = options.mac == Mac::relative
                                           ? smallest_accelerations(tree, groups, particles.acceleration, background)
                                           : std::vector<double>{};
  make_walk_nodes(tree, options, law.gravitational_constant, nodes_);
  timer.enter(Phase::transfer);
  PairLaw used = law;
  used.order = options.multipole;
  backend_.begin(used, tree, {particles.position, particles.mass, particles.acceleration, particles.potential},
                 threads_);
  timer.enter(Phase::other);
  const double start = wall_time();
  walk_and_submit(tree, groups, smallest, statistics);
  const double before_collect = wall_time();
  statistics.backend = backend_.collect();
  // Every lane waits in collect: its wall time counts once for each.
  statistics.waiting = std::max(statistics.backend.wait, (wall_time() - before_collect) * threads_);
  statistics.wall = wall_time() - start;
  statistics.seconds = timer.seconds();
  statistics.seconds[static_cast<std::size_t>(Phase::other)] -= statistics.wall;
  charge_region(statistics, backend_.overlaps());
  return statistics;
}

void GravitySolver::walk_and_submit(const TreeView& tree, std::span<const Group> groups,
                                    std::span<const double> smallest, ForceStatistics& statistics) {
  const WalkNodesView view = view_of(tree, nodes_);
  std::vector<Lane> lanes(static_cast<std::size_t>(threads_));
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
    for (std::size_t g = 0; g < groups.size(); ++g) {
      try {
        if (failed) continue;
        if (batch == nullptr) batch = &backend_.open(t);
        const double start = wall_time();
        const double scale = smallest.empty() ? 0 : relative_scale(active_.alpha, smallest[g]);
        list_group(tree, groups[g], view, scale, lane, *batch);
        lane.walking += wall_time() - start;
        if (batch->cells.size() + batch->ranges.size() >= backend_.batch_entries()) {
          backend_.submit(t);
          batch = nullptr;
        }
      } catch (...) {
        note_failure();
      }
    }
    try {
      if (batch != nullptr && !batch->empty() && !failed) backend_.submit(t);
    } catch (...) {
      note_failure();
    }
    lane.busy = wall_time() - begin;
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

void GravitySolver::list_group(const TreeView& tree, const Group& group, const WalkNodesView& nodes, double scale,
                               Lane& lane, WalkBatch& batch) const {
  Walk walk{group.box.centre(),
            group.first,
            group.count,
            static_cast<std::uint32_t>(batch.cells.size()),
            0,
            static_cast<std::uint32_t>(batch.ranges.size()),
            0,
            0,
            0};
  if (backend_.all_pairs()) {
    walk.source_count = static_cast<std::uint32_t>(tree.position.size());
    walk.range_count = 1;
    batch.ranges.push_back({0, walk.source_count});
  } else {
    const WalkQuery query{walk.centre, group.box.half_size(), scale, group.first, group.first + group.count};
    ListBuffer list{lane.cells.data(), lane.ranges.data(), lane.cells.size(), lane.ranges.size()};
    while (!simd_kernels().walk(nodes, query, list)) {
      lane.cells.resize(lane.cells.size() * 2);
      lane.ranges.resize(lane.ranges.size() * 2);
      list = {lane.cells.data(), lane.ranges.data(), lane.cells.size(), lane.ranges.size()};
    }
    walk.cell_count = static_cast<std::uint32_t>(list.cell_count);
    walk.range_count = static_cast<std::uint32_t>(list.range_count);
    walk.source_count = list.source_count;
    batch.cells.insert(batch.cells.end(), list.cells, list.cells + list.cell_count);
    batch.ranges.insert(batch.ranges.end(), list.ranges, list.ranges + list.range_count);
  }
  batch.walks.push_back(walk);
  lane.raw.add(walk);
}

}  // namespace multiwalk
