// SPDX-License-Identifier: GPL-3.0-or-later
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "device/base/blocks_for.cuh"
#include "device/base/fetch.cuh"
#include "device/essential/essential_part.cuh"

namespace multiwalk {

namespace {

constexpr unsigned part_threads = 128;
constexpr std::uint32_t nodes_of_warp = 8;
constexpr unsigned lanes = 32;

/// Everything on which it depends how much of a node a reader needs.
struct CutTask {
  const Node* node;
  const Multipole* multipole;
  const float* radius;
  const GroupBox* box;
  std::uint32_t boxes;
  Cube cube;
  double gravitational_constant;
  double cutoff;
  bool relative;

  /// Between a coordinate and an interval; period: 0 in a vacuum.
  [[nodiscard]] static __device__ double gap(double x, double lo, double hi, double period) {
    const double below = lo - x, above = x - hi, nearest = fmax(below, above);
    return fmax(period > 0 ? fmin(nearest, fmin(below, above) + period) : nearest, 0.0);
  }
  [[nodiscard]] __device__ double distance2(const Vec3d& x, const GroupBox& to) const {
    const double period = cube.periodic ? cube.side : 0;
    return norm2(Vec3d{gap(x.x, to.lo.x, to.hi.x, period), gap(x.y, to.lo.y, to.hi.y, period),
                       gap(x.z, to.lo.z, to.hi.z, period)});
  }
  /// No particle of a cell whose centre of mass is as far away as this is within the cut-off. Squared.
  [[nodiscard]] __device__ double beyond2(const Node& cell) const {
    constexpr double diagonal_per_side = 1.7320509;
    const double diagonal = diagonal_per_side * cube.side / static_cast<double>(std::uint64_t{1} << cell.level);
    return (cutoff + diagonal) * (cutoff + diagonal);
  }
};

/// Whether a walk in one of the boxes may open the cell by the cell's own radius. By a warp.
__device__ bool is_opened(const CutTask& task, std::uint32_t n) {
  const Multipole m = task.multipole[n];
  const double radius = fabs(static_cast<double>(task.radius[n])), radius2 = radius * radius;
  if (isinf(radius) && isinf(task.cutoff)) return true;
  const double beyond2 = task.beyond2(task.node[n]);
  const double strength =
      task.relative && !isinf(radius)
          ? OpeningCriterion::strength(task.gravitational_constant, static_cast<double>(m.mass), radius)
          : 0;
  for (std::uint32_t first = 0; first < task.boxes; first += lanes) {
    const std::uint32_t b = first + threadIdx.x % lanes;
    bool near = false;
    if (b < task.boxes) {
      const GroupBox box = task.box[b];
      near = !(task.distance2(m.centre_of_mass, box) > fmin(fmax(radius2, strength * box.scale), beyond2));
    }
    if (__any_sync(~0U, near)) return true;
  }
  return false;
}

/// A warp per `nodes_of_warp` nodes of one level, most of which are not in the part.
__global__ void find_contents(const CutTask task, std::uint32_t first, std::uint32_t end, Share* share) {
  const std::size_t warp = (std::size_t{blockIdx.x} * part_threads + threadIdx.x) / lanes;
  const std::size_t begin = first + warp * nodes_of_warp;
  const std::uint32_t lane = threadIdx.x % lanes;
  const bool in_part = lane < nodes_of_warp && begin + lane < end && share[begin + lane] != Share::nothing;
  for (unsigned left = __ballot_sync(~0U, in_part); left != 0; left &= left - 1) {
    const auto n = static_cast<std::uint32_t>(begin) + static_cast<std::uint32_t>(__ffs(static_cast<int>(left))) - 1;
    if (!is_opened(task, n)) continue;
    const Node mine = task.node[n];
    if (lane == 0) share[n] = Share::contents;
    if (lane < mine.child_count) share[mine.first_child + lane] = Share::cell;
  }
}

/// The number of elements that a node adds to a part. find() adds the family of the root.
struct SizeOfShare {
  const Share* share;
  const Node* node;

  __device__ TreeSize operator()(std::uint32_t n) const {
    if (share[n] == Share::nothing) return {0, 0, 0};
    if (share[n] == Share::cell) return {0, 1, 0};
    return node[n].leaf() ? TreeSize{0, 1, node[n].count} : TreeSize{1, 1, 0};
  }
};

/// The sizes that the nodes add, in the order of the nodes.
auto sizes_of_shares(const Share* share, const Node* node) {
  return thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0), SizeOfShare{share, node});
}

struct AddSizes {
  __device__ TreeSize operator()(const TreeSize& a, const TreeSize& b) const { return a + b; }
};

struct PartTask {
  TreeArrays from;
  std::uint32_t nodes;
  const std::uint32_t* below;
  const Share* share;
  const TreeSize* before;  ///< (nodes) elements of the part before those of a node, without the root's family
  TreeSize base;           ///< what the reader has before the part
  TreeArrays to;

  [[nodiscard]] __device__ std::uint32_t node_number(std::uint32_t n) const { return base.nodes + before[n].nodes; }
  [[nodiscard]] __device__ std::uint32_t family_number(std::uint32_t n) const {
    return base.families + 1 + before[n].families;
  }
};

/// Writes the family of `count` nodes from `first` on.
__device__ void write_family(const PartTask& task, WalkFamily family, std::uint32_t first, std::uint32_t count,
                             WalkFamily& to) {
  family.first = task.node_number(first);
  for (std::uint32_t c = 0; c < count; ++c) {
    const bool inner = !task.from.node[first + c].leaf(), whole = task.share[first + c] == Share::contents;
    family.below[c] = whole && inner ? task.family_number(first + c) : 0;
    if (!whole) family.everywhere |= static_cast<std::uint8_t>(1U << c);
  }
  to = family;
}

/// A thread per node.
__global__ void write_part(const PartTask task) {
  const std::uint32_t n = blockIdx.x * part_threads + threadIdx.x;
  if (n >= task.nodes || task.share[n] == Share::nothing) return;
  const Node mine = task.from.node[n];
  const TreeSize place = task.before[n];
  Node node{0, 0, 0, 0, mine.level};
  if (n == 0) write_family(task, task.from.family[0], 0, 1, task.to.family[0]);
  if (task.share[n] == Share::contents && mine.leaf()) {
    node.first = task.base.particles + place.particles;
    node.count = mine.count;
    for (std::uint32_t i = 0; i < mine.count; ++i) {
      task.to.position[place.particles + i] = task.from.position[mine.first + i];
      task.to.mass[place.particles + i] = task.from.mass[mine.first + i];
    }
  } else if (task.share[n] == Share::contents) {
    node.first_child = task.node_number(mine.first_child);
    node.child_count = mine.child_count;
    write_family(task, task.from.family[task.below[n]], mine.first_child, mine.child_count,
                 task.to.family[1 + place.families]);
  }
  task.to.node[place.nodes] = node;
  task.to.multipole[place.nodes] = task.from.multipole[n];
}

}  // namespace

bool EssentialPart::find(const CutTree& tree, const WalkSettings& walks, const GroupBox* box, std::uint32_t boxes,
                         Scratch& scratch, const Stream& stream) {
  const std::uint32_t nodes = tree.size.nodes;
  if (!share_.reserve_growing(nodes, nodes / 16, stream) || !total_.reserve(1, stream)) return false;
  static_assert(static_cast<int>(Share::nothing) == 0);
  check_cuda(cudaMemsetAsync(share_.data(), 0, nodes * sizeof(Share), stream.get()), "cudaMemsetAsync");
  check_cuda(cudaMemsetAsync(share_.data(), static_cast<int>(Share::cell), sizeof(Share), stream.get()),
             "cudaMemsetAsync");
  const CutTask task{
      tree.arrays.node, tree.arrays.multipole,   tree.radius, box, boxes, tree.cube, walks.gravitational_constant,
      walks.cutoff,     walks.options.relative()};
  for (std::size_t level = 0; level + 1 < tree.level_offset.size(); ++level) {
    const std::uint32_t first = tree.level_offset[level], end = tree.level_offset[level + 1];
    find_contents<<<blocks_for((end - first + std::size_t{nodes_of_warp} - 1) / nodes_of_warp * lanes, part_threads),
                    part_threads, 0, stream.get()>>>(task, first, end, share_.data());
    check_cuda(cudaGetLastError(), "find_contents");
  }
  const auto sizes = sizes_of_shares(share_.data(), tree.arrays.node);
  return scratch(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(memory, bytes, sizes, total_.data(), nodes, AddSizes{}, TreeSize{}, stream.get());
  });
}

TreeSize EssentialPart::size(const Stream& stream) const {
  return fetch(total_.data(), stream) + TreeSize{1, 0, 0};
}

bool EssentialPart::write(const CutTree& tree, const TreeSize& base, const TreeArrays& to,
                          DeviceBuffer<TreeSize>& before, Scratch& scratch, const Stream& stream) const {
  const std::uint32_t nodes = tree.size.nodes;
  if (!before.reserve_growing(nodes, nodes / 16, stream)) return false;
  const auto sizes = sizes_of_shares(share_.data(), tree.arrays.node);
  const bool scanned = scratch(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(memory, bytes, sizes, before.data(), AddSizes{}, TreeSize{}, nodes,
                                          stream.get());
  });
  if (!scanned) return false;
  write_part<<<blocks_for(nodes, part_threads), part_threads, 0, stream.get()>>>(
      {tree.arrays, nodes, tree.below, share_.data(), before.data(), base, to});
  check_cuda(cudaGetLastError(), "write_part");
  return true;
}

}  // namespace multiwalk
