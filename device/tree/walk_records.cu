// SPDX-License-Identifier: GPL-3.0-or-later
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "device/base/blocks_for.cuh"
#include "device/base/fetch.cuh"
#include "device/base/warp_extremes.cuh"
#include "device/tree/walk_records.cuh"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {

namespace {

constexpr unsigned record_threads = 128;
constexpr unsigned lanes = 32;
constexpr unsigned children_each = 8;

struct IsInner {
  __device__ std::uint32_t operator()(const Node& node) const { return node.leaf() ? 0 : 1; }
};

/// Input of the families' records, and (nodes) where the opening radii go, if they are kept.
struct FamilyTask {
  TreeOnDevice tree;
  GravityOptions options;
  FamilyRules rules;
  const std::uint32_t* below;  ///< inner nodes up to and with this one; family 0 is the root's own
  float* radius;
};

/// As opening_radius (host/walk/opening_radii.hpp); `cell`: but for its centre.
__device__ float node_radius(const FamilyTask& task, std::uint32_t n, const Node& node, CellShape cell) {
  const TreeOnDevice& tree = task.tree;
  if (node.count <= task.options.always_opened()) return INFINITY;
  cell.centre = cell_centre(tree.cube, tree.key != nullptr ? tree.key[node.first] : tree.moved.key[n], node.level);
  return opening_radius(tree.cube, cell, task.options);
}

/// Writes the family of `count` nodes from `first` on by eight threads, one per child. All threads of the warp call it;
/// count 0: nothing is written.
__device__ void write_family(const FamilyTask& task, std::uint32_t first, std::uint32_t count, WalkFamily* family) {
  const TreeOnDevice& tree = task.tree;
  const unsigned child = threadIdx.x % children_each, shift = threadIdx.x % lanes / children_each * children_each;
  float radius = 1;
  FamilyDistances distances{0, 0};
  bool leaf = false;
  double side = 0;
  if (child < count) {
    const std::uint32_t n = first + child;
    const Node node = tree.node[n];
    const Multipole m = tree.multipole[n];
    leaf = node.leaf();
    side = tree.moved.side(tree.cube, n, node.level);
    radius = node_radius(task, n, node, {side, {}, m.centre_of_mass});
    if (task.radius != nullptr) task.radius[n] = radius;
    distances = task.rules.distances(m, radius);
    family->x[child] = task.rules.coordinate(m.centre_of_mass.x, task.rules.corner.x);
    family->y[child] = task.rules.coordinate(m.centre_of_mass.y, task.rules.corner.y);
    family->z[child] = task.rules.coordinate(m.centre_of_mass.z, task.rules.corner.z);
    family->far2[child] = distances.far2;
    family->below[child] = leaf ? 0 : task.below[n];
  }
  for (unsigned step = 1; step < children_each; step *= 2) {
    distances.floor2 = fmaxf(distances.floor2, __shfl_xor_sync(~0U, distances.floor2, step));
    side = fmax(side, __shfl_xor_sync(~0U, side, step));
  }
  const auto bits = [shift](bool mine) { return static_cast<std::uint8_t>(__ballot_sync(~0U, mine) >> shift); };
  const std::uint8_t leaves = bits(leaf), everywhere = bits(radius == 0), unlisted = bits(signbit(radius));
  if (child != 0 || count == 0) return;
  family->floor2 = distances.floor2;
  family->reach = task.rules.reach(side);
  family->first = first;
  family->present = static_cast<std::uint8_t>((1U << count) - 1);
  family->leaves = leaves;
  family->everywhere = everywhere;
  family->unlisted = unlisted;
}

/// Eight threads per node, and eight for the root's own family behind the last node.
__global__ void make_families(const FamilyTask task, WalkFamily* family) {
  const auto n = static_cast<std::uint32_t>((std::size_t{blockIdx.x} * record_threads + threadIdx.x) / children_each);
  const bool root = n == task.tree.nodes;
  const Node node = n < task.tree.nodes ? task.tree.node[n] : Node{};
  const std::uint32_t count = root ? 1 : node.child_count;
  const std::uint32_t number = root || count == 0 ? 0 : task.below[n];
  write_family(task, node.first_child, count, family + number);
}

/// The particles at which groups begin, marked with the number of the group's first node, plus one.
struct GroupMarks {
  std::uint32_t* mark;
  std::uint32_t* groups;  ///< how many there are

  __device__ void set(std::uint32_t particle, std::uint32_t node) const {
    mark[particle] = node + 1;
    atomicAdd(groups, 1U);
  }
};

__global__ void mark_groups(const TreeOnDevice tree, GroupRule rule, GroupMarks marks) {
  const std::uint32_t n = blockIdx.x * record_threads + threadIdx.x;
  if (n >= tree.nodes) return;
  const Node mine = tree.node[n];
  if (n == 0 && !rule.divides(mine)) marks.set(mine.first, 0);
  if (!rule.divides(mine)) return;
  if (mine.leaf()) {
    for (std::uint32_t done = 0; done < mine.count; done += rule.most) marks.set(mine.first + done, n);
    return;
  }
  const OctantCounts octants(tree.node, tree.key, mine);
  unsigned end = 0;  // of the octants of the group marked last
  for (std::uint32_t c = mine.first_child; c < mine.first_child + mine.child_count; ++c) {
    const Node child = tree.node[c];
    const unsigned digit = child_digit(tree.key[child.first], mine.level);
    if (digit < end || rule.divides(child)) continue;
    end = octants.end_of_group(digit, rule.most, rule.merges_children(mine));
    marks.set(child.first, c);
  }
}

/// Siblings from `first` on that have `count` particles.
__device__ std::uint32_t count_nodes(const Node* node, std::uint32_t first, std::uint32_t count) {
  std::uint32_t nodes = 0;
  for (std::uint32_t particles = 0; particles < count; ++nodes) particles += node[first + nodes].count;
  return nodes;
}

__device__ float old_pull(const OldAccelerations& old, std::uint32_t i, Vec3d position) {
  const Vec3f a = old.acceleration[old.order == nullptr ? i : old.order[i]];
  const Vec3d own{static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)};
  return static_cast<float>(norm(own + old.background * position));
}

/// Groups whose first particles are known.
struct BegunGroups {
  const std::uint32_t* mark;   ///< (N) see GroupMarks
  const std::uint32_t* first;  ///< (groups) their first particles
  std::uint32_t count;
  std::uint32_t* wide;  ///< becomes 1 if one is too wide for a walk
};

/// A warp per group.
__global__ void describe_groups(const TreeOnDevice tree, const BegunGroups begun, OldAccelerations old, Group* group,
                                float* smallest_pull) {
  const std::size_t g = (std::size_t{blockIdx.x} * record_threads + threadIdx.x) / lanes;
  const std::uint32_t lane = threadIdx.x % lanes;
  if (g >= begun.count) return;
  const std::uint32_t begin = begun.first[g], end = g + 1 < begun.count ? begun.first[g + 1] : tree.particles;
  Vec3d lo = tree.position[begin], hi = lo;
  float least = INFINITY;
  for (std::uint32_t i = begin + lane; i < end; i += lanes) {
    const Vec3d p = tree.position[i];
    lo = {fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z)};
    hi = {fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z)};
    if (old.acceleration != nullptr) least = fminf(least, old_pull(old, i, p));
  }
  lo = {warp_min(lo.x), warp_min(lo.y), warp_min(lo.z)};
  hi = {warp_max(hi.x), warp_max(hi.y), warp_max(hi.z)};
  least = static_cast<float>(warp_min(static_cast<double>(least)));
  if (lane != 0) return;
  Group& mine = group[g];
  mine.box.lo = lo;
  mine.box.hi = hi;
  mine.first = begin;
  mine.count = end - begin;
  mine.node = begun.mark[begin] - 1;
  mine.nodes = count_nodes(tree.node, mine.node, mine.count);
  const Vec3d extent = hi - lo;
  const double widest = tree.cube.periodic ? largest_periodic_cell * tree.cube.side : INFINITY;
  if (fmax(extent.x, fmax(extent.y, extent.z)) > widest) *begun.wide = 1;
  if (old.acceleration != nullptr) smallest_pull[g] = least;
}

}  // namespace

std::uint32_t FamilyMaker::operator()(const TreeOnDevice& tree, const GravityOptions& options,
                                      double gravitational_constant, bool radii, const Stream& stream) {
  if (!below_.reserve(tree.nodes, stream) || (radii && !radius_.reserve(tree.nodes, stream))) return 0;
  const auto inner = thrust::make_transform_iterator(tree.node, IsInner{});
  const bool numbered = scratch_(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, inner, below_.data(), tree.nodes, stream.get());
  });
  if (!numbered) return 0;
  const std::uint32_t families = fetch(below_.data() + tree.nodes - 1, stream) + 1;
  if (!family_.reserve_growing(families, families / 8, stream)) return 0;
  // The host gets the records with their padding.
  check_cuda(cudaMemsetAsync(family_.data(), 0, families * sizeof(WalkFamily), stream.get()), "cudaMemsetAsync");
  const FamilyTask task{tree, options, FamilyRules(tree.cube, options, gravitational_constant), below_.data(),
                        radii ? radius_.data() : nullptr};
  const std::size_t count = children_each * (std::size_t{tree.nodes} + 1);
  make_families<<<blocks_for(count, record_threads), record_threads, 0, stream.get()>>>(task, family_.data());
  check_cuda(cudaGetLastError(), "make_families");
  return families;
}

void FamilyMaker::release_scratch(const Stream& stream) {
  below_.release(stream);
  radius_.release(stream);
  scratch_.release(stream);
}

void FamilyMaker::release(const Stream& stream) {
  release_scratch(stream);
  family_.release(stream);
}

std::uint32_t GroupMaker::operator()(const TreeOnDevice& tree, std::uint32_t group_size, const OldAccelerations& old,
                                     const Stream& stream) {
  const std::size_t n = tree.particles;
  if (!node_.reserve(n, stream) || !count_.reserve(2, stream)) return 0;
  check_cuda(cudaMemsetAsync(node_.data(), 0, n * sizeof(std::uint32_t), stream.get()), "cudaMemsetAsync");
  check_cuda(cudaMemsetAsync(count_.data(), 0, 2 * sizeof(std::uint32_t), stream.get()), "cudaMemsetAsync");
  mark_groups<<<blocks_for(tree.nodes, record_threads), record_threads, 0, stream.get()>>>(
      tree, {group_size, tree.cube.periodic}, {node_.data(), count_.data()});
  check_cuda(cudaGetLastError(), "mark_groups");
  const std::uint32_t groups = fetch(count_.data(), stream);
  if (!first_.reserve(groups, stream)) return 0;
  const bool selected = scratch_(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<std::uint32_t>(0), node_.data(),
                                      first_.data(), count_.data(), n, stream.get());
  });
  if (!selected) return 0;
  if (!group_.reserve(groups, stream) || (old.acceleration != nullptr && !pull_.reserve(groups, stream))) return 0;
  describe_groups<<<blocks_for(std::size_t{groups} * lanes, record_threads), record_threads, 0, stream.get()>>>(
      tree, {node_.data(), first_.data(), groups, count_.data() + 1}, old, group_.data(), pull_.data());
  check_cuda(cudaGetLastError(), "describe_groups");
  any_wide_ = tree.cube.periodic && fetch(count_.data() + 1, stream) != 0;
  return groups;
}

void GroupMaker::release_scratch(const Stream& stream) {
  node_.release(stream);
  first_.release(stream);
  scratch_.release(stream);
}

void GroupMaker::release(const Stream& stream) {
  release_scratch(stream);
  group_.release(stream);
  pull_.release(stream);
}

}  // namespace multiwalk
