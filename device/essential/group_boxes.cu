// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/blocks_for.cuh"
#include "device/base/fetch.cuh"
#include "device/base/warp_extremes.cuh"
#include "device/essential/group_boxes.cuh"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr unsigned box_threads = 128;
constexpr unsigned warp_lanes = 32;
/// Fewer than boxes_per_rank cells of a level have more particles than a box may have; each has at most 8 children.
constexpr std::uint32_t most_cells = boxes_per_rank * 8 * 22;

struct CellChoice {
  const Node* node;
  std::uint32_t nodes, most;  ///< particles
  std::uint32_t* cell;
  std::uint32_t* count;

  __device__ bool small(const Node& n) const { return n.count <= most || n.leaf(); }
  __device__ void choose(std::uint32_t n) const { cell[atomicAdd(count, 1U)] = n; }
};

__global__ void choose_cells(const CellChoice choice) {
  const std::uint32_t n = blockIdx.x * box_threads + threadIdx.x;
  if (n >= choice.nodes) return;
  const Node mine = choice.node[n];
  if (n == 0 && choice.small(mine)) choice.choose(0);
  if (choice.small(mine)) return;
  for (std::uint32_t c = mine.first_child; c < mine.first_child + mine.child_count; ++c) {
    if (choice.small(choice.node[c])) choice.choose(c);
  }
}

/// The first group that begins at this particle or behind it.
__device__ std::uint32_t group_from(const GrownGroups& groups, std::uint32_t particle) {
  std::uint32_t first = 0;
  for (std::uint32_t left = groups.count; left > 0;) {
    const std::uint32_t half = left / 2;
    const bool before = groups.group[first + half].first < particle;
    first += before ? half + 1 : 0;
    left = before ? left - half - 1 : half;
  }
  return first;
}

/// A warp per cell.
__global__ void describe_boxes(const Node* node, const std::uint32_t* cell, std::uint32_t cells,
                               const GrownGroups groups, const OpeningCriterion criterion, GroupBox* box) {
  const std::uint32_t number = (blockIdx.x * box_threads + threadIdx.x) / warp_lanes;
  if (number >= cells) return;
  const Node mine = node[cell[number]];
  const std::uint32_t end = group_from(groups, mine.first + mine.count);
  Vec3d lo{INFINITY, INFINITY, INFINITY}, hi{-INFINITY, -INFINITY, -INFINITY};
  double scale = 0;
  for (std::uint32_t g = group_from(groups, mine.first) + threadIdx.x % warp_lanes; g < end; g += warp_lanes) {
    const Box& tight = groups.group[g].box;
    lo = {fmin(lo.x, tight.lo.x), fmin(lo.y, tight.lo.y), fmin(lo.z, tight.lo.z)};
    hi = {fmax(hi.x, tight.hi.x), fmax(hi.y, tight.hi.y), fmax(hi.z, tight.hi.z)};
    if (groups.smallest_pull != nullptr) {
      scale = fmax(scale, criterion.scale(static_cast<double>(groups.smallest_pull[g])));
    }
  }
  lo = {warp_min(lo.x), warp_min(lo.y), warp_min(lo.z)};
  hi = {warp_max(hi.x), warp_max(hi.y), warp_max(hi.z)};
  scale = warp_max(scale);
  if (threadIdx.x % warp_lanes == 0) box[number] = {lo, hi, scale};
}

}  // namespace

std::optional<std::vector<GroupBox>> GroupBoxFinder::operator()(const CutTree& tree, const GrownGroups& groups,
                                                                const OpeningCriterion& criterion,
                                                                const Stream& stream) {
  if (!cell_.reserve(most_cells, stream) || !count_.reserve(1, stream) || !box_.reserve(most_cells, stream)) {
    return std::nullopt;
  }
  const Node* const node = tree.arrays.node;
  const std::uint32_t most = tree.size.particles / boxes_per_rank;
  check_cuda(cudaMemsetAsync(count_.data(), 0, sizeof(std::uint32_t), stream.get()), "cudaMemsetAsync");
  choose_cells<<<blocks_for(tree.size.nodes, box_threads), box_threads, 0, stream.get()>>>(
      {node, tree.size.nodes, most, cell_.data(), count_.data()});
  check_cuda(cudaGetLastError(), "choose_cells");
  const std::uint32_t cells = fetch(count_.data(), stream);
  require(cells > 0 && cells <= most_cells, "the groups of a tree lie in too many cells");
  describe_boxes<<<blocks_for(std::size_t{cells} * warp_lanes, box_threads), box_threads, 0, stream.get()>>>(
      node, cell_.data(), cells, groups, criterion, box_.data());
  check_cuda(cudaGetLastError(), "describe_boxes");
  std::vector<GroupBox> boxes(cells);
  check_cuda(cudaMemcpyAsync(boxes.data(), box_.data(), cells * sizeof(GroupBox), cudaMemcpyDeviceToHost, stream.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "finding boxes around the groups");
  std::erase_if(boxes, [](const GroupBox& box) { return box.lo.x > box.hi.x; });
  return boxes;
}

}  // namespace multiwalk
