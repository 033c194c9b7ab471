// SPDX-License-Identifier: GPL-3.0-or-later
// The pull of all particles on a few, in double precision: the truth that force errors are measured against.
#pragma once

#include <span>

#include "device/base/device_buffer.cuh"
#include "host/force/force_backend.hpp"

namespace multiwalk {

/// Adds to sums (targets) what `position` and `mass` pull at `targets`, without G: softened as the law says; in a box
/// with all images less the mean density (host/exact/ewald.hpp), off by at most 1e-9 m/L^2 per pair. The law's split is
/// ignored. Sources pass through the device in pieces of 64 MB; sums do not depend on timing. False: the device has
/// not the memory, and nothing is added.
[[nodiscard]] bool add_exact_pulls(DeviceMemory& memory, std::span<const Vec3d> position, std::span<const float> mass,
                                   std::span<const Vec3d> targets, const PairLaw& law, std::span<Vec3d> sums);

}  // namespace multiwalk
