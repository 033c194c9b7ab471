// SPDX-License-Identifier: GPL-3.0-or-later
// Multipoles of device-resident nodes, by the formulas of host/tree/moments.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/base/stream.cuh"
#include "device/tree/moved_cells.cuh"
#include "host/tree/octree.hpp"

namespace multiwalk {

/// Nodes and their particles, in key order, in device memory.
struct MomentTask {
  const Node* node;
  std::span<const std::uint32_t> level_offset;  ///< first node of each level, and one past the last; host memory
  const Vec3d* position;
  const float* mass;
  Multipole* multipole;  ///< (nodes) the result
  Cube cube{};
  MovedCells moved{};  ///< if the particles have drifted since the tree was grown: `spill` is a result, too
};

/// Enqueues the moments of all nodes.
void find_moments(const MomentTask& task, const Stream& stream);

/// Enqueues node_key[n] = the key of the first particle of node n.
void copy_node_keys(const Node* node, std::uint32_t nodes, const std::uint64_t* key, std::uint64_t* node_key,
                    const Stream& stream);

/// Enqueues multipole[node[k]] = value[k] for `count` k, all in device memory.
void replace_moments(const std::uint32_t* node, const Multipole* value, std::size_t count, Multipole* multipole,
                     const Stream& stream);

}  // namespace multiwalk
