// SPDX-License-Identifier: GPL-3.0-or-later
// Each warp takes the next group, walks for it in memory of its own, asks for room for the lists and copies them there.
#include "device/base/cuda_check.cuh"
#include "device/lists/list_kernel.cuh"
#include "device/lists/merge_leaves.cuh"
#include "device/lists/warp_walk.cuh"

namespace multiwalk {

namespace {

/// Everything a launch needs.
struct ListLaunch {
  ListTask task;
  ListGroups groups;
  ListRoom room;
  ListTotals* totals;
};

__device__ unsigned lane() {
  return threadIdx.x % warp_lanes;
}

/// The places of a group's targets.
__device__ ParticleRange targets_of(const ListTask& task, std::uint32_t g) {
  return task.run != nullptr ? task.run[g] : ParticleRange{task.group[g].first, task.group[g].count};
}

__device__ WalkQuery query_of(const ListTask& task, std::uint32_t g, std::uint32_t targets) {
  const Group& group = task.group[g];
  WalkQuery query;
  query.centre = 0.5 * (group.box.lo + group.box.hi);
  query.half_size = 0.5 * (group.box.hi - group.box.lo);
  query.first = group.first;
  query.end = group.first + group.count;
  query.cutoff = task.cutoff;
  query.expansion_order = targets < least_expanded_targets ? 0 : task.expansion;
  query.far_apart = task.expansion == 0;
  query.expansion_limit = task.criterion.expansion_limit(task.expansion);
  if (task.smallest_pull != nullptr) query.scale = task.criterion.scale(static_cast<double>(task.smallest_pull[g]));
  return query;
}

/// Targets and the lengths of lists.
__device__ void describe_walk(const WarpWalk& made, const MergedLeaves& merged, ParticleRange targets, Walk& walk) {
  walk.target_first = targets.first;
  walk.target_count = targets.count;
  walk.far_count = made.count(WalkList::far);
  walk.cell_count = walk.far_count + made.count(WalkList::near);
  walk.expanded_count = made.count(WalkList::expanded);
  walk.range_count = merged.ranges;
  walk.source_count = merged.sources;
}

/// Sets where the walk's lists and results go; false if there is no room. One thread.
__device__ bool find_room(const ListRoom& room, ListTotals& totals, Walk& walk) {
  const std::uint32_t cells = walk.cell_count + walk.expanded_count;
  const unsigned long long cell = atomicAdd(&totals.cells, cells), range = atomicAdd(&totals.ranges, walk.range_count),
                           result = atomicAdd(&totals.results, walk.target_count);
  walk.cell_first = static_cast<std::uint32_t>(cell);
  walk.range_first = static_cast<std::uint32_t>(range);
  walk.result_first = static_cast<std::uint32_t>(result);
  return cell + cells <= room.cells && range + walk.range_count <= room.ranges &&
         result + walk.target_count <= room.results;
}

/// The interactions of one warp's walks, in its first thread.
struct WarpCounts {
  unsigned long long particle_pairs = 0, cell_pairs = 0, expansions = 0;

  __device__ void add(const Walk& walk) {
    particle_pairs += walk.particle_pairs();
    cell_pairs += walk.cell_pairs();
    expansions += walk.expanded_count;
  }
  __device__ void add_to(ListTotals& totals) const {
    atomicAdd(&totals.particle_pairs, particle_pairs);
    atomicAdd(&totals.cell_pairs, cell_pairs);
    atomicAdd(&totals.expansions, expansions);
  }
};

/// Copies a list and moves `to` behind it.
__device__ void copy_list(const WarpWalk& made, const WarpLists& lists, WalkList list, std::uint32_t*& to) {
  const std::uint32_t* from = lists.of(list);
  const std::uint32_t count = made.count(list);
  for (std::uint32_t i = lane(); i < count; i += warp_lanes) to[i] = from[i];
  to += count;
}

/// Writes the walk of a group, whose centre is set and whose lists are complete; false if there is no room. The first
/// thread has the record.
__device__ bool write_walk(const ListLaunch& launch, const WarpWalk& made, const WarpLists& lists,
                           ParticleRange targets, Walk& walk) {
  const Node* node = launch.task.tree.node;
  const std::uint32_t* leaf = lists.of(WalkList::leaves);
  const std::uint32_t leaves = made.count(WalkList::leaves);
  describe_walk(made, merge_leaves(node, leaf, leaves, nullptr), targets, walk);
  bool fits = false;
  if (lane() == 0) fits = find_room(launch.room, *launch.totals, walk);
  if (!__shfl_sync(all_lanes, fits, 0)) return false;
  const std::uint32_t cell_first = __shfl_sync(all_lanes, walk.cell_first, 0),
                      range_first = __shfl_sync(all_lanes, walk.range_first, 0);
  std::uint32_t* cell = launch.room.cell + cell_first;
  for (const WalkList list : {WalkList::far, WalkList::near, WalkList::expanded}) copy_list(made, lists, list, cell);
  merge_leaves(node, leaf, leaves, launch.room.range + range_first);
  return true;
}

__device__ void walk_for(const ListLaunch& launch, const WarpLists& lists, std::uint32_t number, WarpCounts& counts) {
  const ListGroups& groups = launch.groups;
  const std::uint32_t g =
      number < groups.again_count ? groups.again[number] : groups.first + (number - groups.again_count);
  const ParticleRange targets = targets_of(launch.task, g);
  const WalkQuery query = query_of(launch.task, g, targets.count);
  WarpWalk made(launch.task.tree, query, lists);
  Walk walk;
  walk.centre = query.centre;
  const bool complete = made(launch.task.root, launch.task.roots),
             written = complete && write_walk(launch, made, lists, targets, walk);
  if (lane() != 0) return;
  launch.room.walk[number] = written ? walk : Walk{};
  if (written) return counts.add(walk);
  if (complete) {
    launch.room.again[atomicAdd(&launch.totals->again, 1U)] = g;
  } else {
    launch.room.too_long[atomicAdd(&launch.totals->too_long, 1U)] = g;
  }
}

__global__ void __launch_bounds__(list_threads, list_blocks) list_kernel(const ListLaunch launch) {
  const unsigned warp = (blockIdx.x * list_threads + threadIdx.x) / warp_lanes;
  if (warp >= launch.room.warps) return;
  const std::uint32_t entries = launch.room.entries;
  const WarpLists lists{launch.room.memory + warp * warp_memory(entries), entries};
  WarpCounts counts;
  for (;;) {
    std::uint32_t number = 0;
    if (lane() == 0) number = atomicAdd(&launch.totals->next, 1U);
    number = __shfl_sync(all_lanes, number, 0);
    if (number >= launch.groups.count) break;
    walk_for(launch, lists, number, counts);
    __syncwarp();
  }
  if (lane() == 0) counts.add_to(*launch.totals);
}

}  // namespace

void make_lists(const ListTask& task, const ListGroups& groups, const ListRoom& room, ListTotals* totals,
                cudaStream_t stream) {
  if (groups.count == 0) return;
  constexpr unsigned warps = list_threads / warp_lanes;
  list_kernel<<<(room.warps + warps - 1) / warps, list_threads, 0, stream>>>({task, groups, room, totals});
  check_cuda(cudaGetLastError(), "list_kernel");
}

}  // namespace multiwalk
