// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of one device that makes the walks itself (cuda-resident), counted array by array as device/ allocates them.
#pragma once

#include <cstdint>
#include <optional>

#include "run/evolve/box_forces.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

struct DevicePlan {
  double peak = 0;      ///< bytes in use at once, the driver's own not counted
  double to_keep = 0;   ///< bytes that the device must have for particles to stay on it; 0: they never do
  double not_kept = 0;  ///< the peak if they do not
};

/// Bytes that the mesh force of kept particles takes besides them, their forces and their tree.
double force_mesh_bytes(const BoxForces& forces, double particles);

/// For one rank with one device; `forces` are those of a periodic box.
DevicePlan plan_device(const Parameters& parameters, const std::optional<BoxForces>& forces, std::uint64_t particles);

}  // namespace multiwalk
