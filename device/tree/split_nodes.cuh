// SPDX-License-Identifier: GPL-3.0-or-later
// The octree of sorted keys, level by level: the nodes of host/tree/octree.hpp, in the same order.
#pragma once

#include <cstdint>
#include <vector>

#include "device/tree/scratch.cuh"
#include "host/tree/octree.hpp"

namespace multiwalk {

class NodeSplitter {
 public:
  explicit NodeSplitter(DeviceMemory& memory)
      : begin_(memory), children_(memory), first_child_(memory), scratch_(memory) {}

  /// Nodes over n > 0 sorted keys into `node`, which grows as needed; level_offset: first node of each level, and one
  /// past the last. Waits for the stream once per level. False: the device is full.
  [[nodiscard]] bool operator()(const std::uint64_t* key, std::uint32_t n, std::uint32_t leaf_size,
                                DeviceBuffer<Node>& node, std::vector<std::uint32_t>& level_offset,
                                const Stream& stream);
  void release(const Stream& stream);

 private:
  [[nodiscard]] bool reserve(std::size_t nodes, const Stream& stream);

  DeviceBuffer<std::uint32_t> begin_;        ///< (nodes of a level, 8) first particle of a child
  DeviceBuffer<std::uint32_t> children_;     ///< (nodes of a level + 1)
  DeviceBuffer<std::uint32_t> first_child_;  ///< (nodes of a level + 1) counted in the next level
  Scratch scratch_;
};

}  // namespace multiwalk
