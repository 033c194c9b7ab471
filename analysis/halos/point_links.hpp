// SPDX-License-Identifier: GPL-3.0-or-later
// Friends of friends among the points of one process (Davis et al. 1985).
#pragma once

#include <cstdint>
#include <span>

#include "host/base/large_memory.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// (N) For every point the lowest index of a point in its group. Points at most `linking_length` apart are friends.
/// Positions in [0, period), or period 0 for a vacuum. The points of a grid cell whose diagonal is the linking length
/// are friends without a test (as in Creasey 2018), so the union-find works on cells: two are joined by the first pair
/// of friends found. Parallel; the result is the same for any number of threads. Memory: at most 60 bytes per point.
/// Throws InputError if the extent is more than 1e6 linking lengths.
LargeArray<std::uint32_t> link_points(std::span<const Vec3d> position, double linking_length, double period);

}  // namespace multiwalk
