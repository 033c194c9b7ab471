// SPDX-License-Identifier: GPL-3.0-or-later
#include <cub/device/device_scan.cuh>

#include "device/base/blocks_for.cuh"
#include "device/tree/split_nodes.cuh"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

namespace {

constexpr unsigned split_threads = 256;
constexpr unsigned arity = 8;

/// Plummer and cosmological models have 2.2 nodes per leaf_size particles.
std::size_t expected_nodes(std::size_t n, std::uint32_t leaf_size) {
  return 5 * n / 2 / leaf_size + 1024;
}

/// First of the node's particles whose child is `digit` or a later one.
__device__ std::uint32_t begin_of_child(const std::uint64_t* key, const Node& node, unsigned digit) {
  std::uint32_t low = node.first, high = node.first + node.count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (child_digit(key[middle], node.level) < digit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The eight threads of a node, one per child.
struct ChildThread {
  std::uint32_t node;  ///< counted in the level
  unsigned digit;
  unsigned lanes;  ///< of the node's eight threads in the warp

  __device__ ChildThread() {
    const std::size_t thread = std::size_t{blockIdx.x} * split_threads + threadIdx.x;
    node = static_cast<std::uint32_t>(thread / arity);
    digit = static_cast<unsigned>(thread % arity);
    lanes = 0xffU << (threadIdx.x % 32 / arity * arity);
  }
  /// Bits of the node's children for which it is `true`; called by all threads of the warp.
  __device__ unsigned occupied(bool mine) const {
    const unsigned all = __ballot_sync(~0U, mine);
    return (all & lanes) >> (threadIdx.x % 32 / arity * arity);
  }
};

/// One past the child's last particle; called by all threads of the warp.
__device__ std::uint32_t end_of_child(const ChildThread& t, std::uint32_t begin, const Node& node) {
  const std::uint32_t next = __shfl_down_sync(~0U, begin, 1, arity);
  return t.digit + 1 < arity ? next : node.first + node.count;
}

/// Writes one count more than there are nodes, a zero, so that an exclusive scan ends with the sum.
__global__ void find_children(const std::uint64_t* key, const Node* node, std::uint32_t nodes, std::uint32_t leaf_size,
                              std::uint32_t* begin, std::uint32_t* children) {
  const ChildThread t;
  const Node mine = t.node < nodes ? node[t.node] : Node{};
  const bool splits = mine.count > leaf_size && mine.level < key_levels;
  const std::uint32_t first = splits ? begin_of_child(key, mine, t.digit) : 0;
  const std::uint32_t end = end_of_child(t, first, mine);
  const unsigned occupied = t.occupied(splits && end > first);
  if (splits) begin[std::size_t{t.node} * arity + t.digit] = first;
  if (t.node <= nodes && t.digit == 0) children[t.node] = static_cast<std::uint32_t>(__popc(occupied));
}

/// `node`: the level's first; `next_level`: number of the first node after the level. Children follow the level.
__global__ void write_children(Node* node, std::uint32_t nodes, std::uint32_t next_level, const std::uint32_t* begin,
                               const std::uint32_t* first_child) {
  const ChildThread t;
  const bool exists = t.node < nodes;
  const Node parent = exists ? node[t.node] : Node{};
  const std::uint32_t place = exists ? first_child[t.node] : 0;
  const std::uint32_t children = exists ? first_child[t.node + 1] - place : 0;
  const std::uint32_t first = children > 0 ? begin[std::size_t{t.node} * arity + t.digit] : 0;
  const std::uint32_t end = end_of_child(t, first, parent);
  const unsigned occupied = t.occupied(children > 0 && end > first);
  if (children == 0) return;
  if (end > first) {
    const auto before = static_cast<std::uint32_t>(__popc(occupied & ((1U << t.digit) - 1)));
    node[nodes + place + before] = {first, end - first, 0, 0, static_cast<std::uint16_t>(parent.level + 1)};
  }
  if (t.digit == 0) {
    node[t.node].first_child = next_level + place;
    node[t.node].child_count = static_cast<std::uint16_t>(children);
  }
}

}  // namespace

bool NodeSplitter::reserve(std::size_t nodes, const Stream& stream) {
  return begin_.reserve_growing(nodes * arity, nodes * arity / 4, stream) &&
         children_.reserve_growing(nodes + 1, nodes / 4, stream) &&
         first_child_.reserve_growing(nodes + 1, nodes / 4, stream);
}

bool NodeSplitter::operator()(const std::uint64_t* key, std::uint32_t n, std::uint32_t leaf_size,
                              DeviceBuffer<Node>& node, std::vector<std::uint32_t>& level_offset,
                              const Stream& stream) {
  level_offset = {0};
  if (!node.reserve_keeping(expected_nodes(n, leaf_size), 0, stream)) return false;
  const Node root{0, n, 0, 0, 0};
  check_cuda(cudaMemcpyAsync(node.data(), &root, sizeof root, cudaMemcpyHostToDevice, stream.get()), "cudaMemcpyAsync");
  std::uint32_t begin = 0, count = 1;
  while (count > 0) {
    const std::uint32_t end = begin + count;
    level_offset.push_back(end);
    if (!reserve(count, stream)) return false;
    const unsigned blocks = blocks_for((std::size_t{count} + 1) * arity, split_threads);
    find_children<<<blocks, split_threads, 0, stream.get()>>>(key, node.data() + begin, count, leaf_size, begin_.data(),
                                                              children_.data());
    check_cuda(cudaGetLastError(), "find_children");
    const bool scanned = scratch_(stream, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(memory, bytes, children_.data(), first_child_.data(), count + 1,
                                           stream.get());
    });
    if (!scanned) return false;
    std::uint32_t added = 0;
    check_cuda(cudaMemcpyAsync(&added, first_child_.data() + count, sizeof added, cudaMemcpyDeviceToHost, stream.get()),
               "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream.get()), "splitting the nodes of a level");
    if (!node.reserve_keeping(std::size_t{end} + added, end, stream)) return false;
    write_children<<<blocks, split_threads, 0, stream.get()>>>(node.data() + begin, count, end, begin_.data(),
                                                               first_child_.data());
    check_cuda(cudaGetLastError(), "write_children");
    begin = end;
    count = added;
  }
  return true;
}

void NodeSplitter::release(const Stream& stream) {
  begin_.release(stream);
  children_.release(stream);
  first_child_.release(stream);
  scratch_.release(stream);
}

}  // namespace multiwalk
