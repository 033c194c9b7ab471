// SPDX-License-Identifier: GPL-3.0-or-later
// Multipoles of device-resident nodes, by the formulas of host/tree/moments.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/base/stream.cuh"
#include "host/tree/octree.hpp"

namespace multiwalk {

/// Enqueues the moments of all nodes; `level_offset`: first node of each level, and one past the last. Particles are in
/// key order.
void find_moments(const Node* node, std::span<const std::uint32_t> level_offset, const Vec3d* position,
                  const float* mass, Multipole* multipole, const Stream& stream);

/// Enqueues multipole[node[k]] = value[k] for `count` k, all in device memory.
void replace_moments(const std::uint32_t* node, const Multipole* value, std::size_t count, Multipole* multipole,
                     const Stream& stream);

}  // namespace multiwalk
