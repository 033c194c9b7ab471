// SPDX-License-Identifier: GPL-3.0-or-later
// The walks of a listed evaluation: threads make lists and submit batches.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "host/simd/simd_kernels.hpp"
#include "host/solver/listed_forces.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t first_list_capacity = 1 << 14;

/// Several batches per lane, so that a device starts early and ends soon after the last walk.
std::size_t walks_per_batch(std::size_t groups, int lanes) {
  constexpr std::size_t least_walks = 32, batches = 32;
  return std::max(least_walks, groups / (static_cast<std::size_t>(lanes) * batches));
}

std::size_t entries(const WalkBatch& batch) {
  return batch.cells.size() + batch.ranges.size();
}

}  // namespace

struct ListedForces::Lane {
  std::vector<std::uint32_t> cells, near, expanded, leaves, families;
  std::vector<ParticleRange> ranges;
  RawCount raw;
  double walking = 0;
  double waiting = 0;
  double busy = 0;

  ListBuffer empty_list(std::size_t capacity) {
    capacity = std::max(capacity, ranges.size());
    for (auto* indices : {&cells, &near, &expanded, &leaves, &families}) indices->resize(capacity);
    ranges.resize(capacity);
    return {cells.data(), near.data(), expanded.data(), ranges.data(), leaves.data(), families.data(), capacity};
  }
};

/// The first exception of a team of threads, after which none begins anything else.
class ListedForces::Failure {
 public:
  template <class Act>
  void unless_failed(const Act& act) {
    try {
      if (!failed_) act();
    } catch (...) {
#pragma omp critical(multiwalk_failure)
      first_ = std::current_exception();
      failed_ = true;
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
  std::atomic<bool> failed_{false};
};

void ListedForces::list_and_submit(const Pass& pass, SourceTrees* remote, Lane& lane, Failure& failure) {
  ForceBackend& backend = tools_.backend;
  const int t = omp_get_thread_num();
  const std::size_t groups = pass.targets.groups.size(), most_walks = walks_per_batch(groups, tools_.threads);
  const double begin = wall_time();
  WalkBatch* batch = nullptr;
#pragma omp for schedule(dynamic, 4) nowait
  for (std::size_t g = 0; g < groups; ++g) {
    failure.unless_failed([&] {
      if (t == 0 && remote != nullptr) remote->progress();
      if (batch == nullptr) batch = &backend.open(t);
      const double start = wall_time();
      list_group(pass, g, lane, *batch);
      lane.walking += wall_time() - start;
      if (entries(*batch) < backend.batch_entries() && batch->walks.size() < most_walks) return;
      backend.submit(t);
      batch = nullptr;
    });
  }
  failure.unless_failed([&] {
    if (batch != nullptr && !batch->empty()) backend.submit(t);
    lane.busy = wall_time() - begin;
    backend.drain(t);
  });
}

void ListedForces::walk_and_submit(const Pass& pass, SourceTrees* remote, ForceStatistics& statistics) {
  std::vector<Lane> lanes(static_cast<std::size_t>(tools_.threads));
  Failure failure;
#pragma omp parallel num_threads(tools_.threads)
  list_and_submit(pass, remote, lanes[static_cast<std::size_t>(omp_get_thread_num())], failure);
  failure.rethrow();
  double sum = 0, most = 0;
  for (const Lane& lane : lanes) {
    statistics.raw += lane.raw;
    statistics.walking += lane.walking;
    sum += lane.busy;
    most = std::max(most, lane.busy);
  }
  statistics.imbalance = sum > 0 ? most * tools_.threads / sum : 1;
}

void ListedForces::list_group(const Pass& pass, std::size_t g, Lane& lane, WalkBatch& batch) const {
  const auto& [sources, targets, walks, count_work] = pass;
  const Group& group = targets.groups[g];
  Walk walk;
  walk.centre = group.box.centre();
  const ParticleRange run = targets.runs.empty() ? ParticleRange{group.first, group.count} : targets.runs[g];
  walk.target_first = run.first;
  walk.target_count = run.count;
  walk.cell_first = static_cast<std::uint32_t>(batch.cells.size());
  walk.range_first = static_cast<std::uint32_t>(batch.ranges.size());
  if (tools_.backend.all_pairs()) {
    walk.source_count = static_cast<std::uint32_t>(sources.tree.position.size());
    walk.range_count = 1;
    batch.ranges.push_back({0, walk.source_count});
  } else {
    const double scale = targets.smallest.empty() ? 0 : walks.options.scale(targets.smallest[g]);
    const WalkQuery query{walk.centre,
                          group.box.half_size(),
                          scale,
                          sources.own ? group.first : 0,
                          sources.own ? group.first + group.count : 0,
                          walks.cutoff,
                          run.count < least_expanded_targets ? 0 : walks.expansion,
                          walks.options.expansion_limit(walks.expansion),
                          walks.expansion == 0};
    ListBuffer list = lane.empty_list(first_list_capacity);
    while (!simd_kernels().walk(sources.walk, query, list)) list = lane.empty_list(2 * list.capacity);
    walk.cell_count = static_cast<std::uint32_t>(list.cell_count);
    walk.far_count = static_cast<std::uint32_t>(list.far_count);
    walk.expanded_count = static_cast<std::uint32_t>(list.expanded_count);
    walk.range_count = static_cast<std::uint32_t>(list.range_count);
    walk.source_count = list.source_count;
    batch.cells.insert(batch.cells.end(), list.cells, list.cells + list.cell_count);
    batch.cells.insert(batch.cells.end(), list.expanded, list.expanded + list.expanded_count);
    batch.ranges.insert(batch.ranges.end(), list.ranges, list.ranges + list.range_count);
  }
  batch.walks.push_back(walk);
  lane.raw.add(walk, sources.own);
  if (!count_work) return;
  const float pairs = walk.work_of_target();
  for (std::uint32_t target = run.first; target < run.first + run.count; ++target) {
    float& work = targets.work[targets.index.empty() ? target : targets.index[target]];
    work = sources.own && !targets.work_begun ? pairs : work + pairs;
  }
}

}  // namespace multiwalk
