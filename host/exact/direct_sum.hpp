// SPDX-License-Identifier: GPL-3.0-or-later
// Double-precision direct summation, without G.
#pragma once

#include <span>

#include "host/base/vec3.hpp"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// Sum over all sources for one target. A source at the target's position adds nothing to the acceleration and, if
/// softened, m/eps to the potential.
ForceSum<double> direct_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                            double softening);

}  // namespace multiwalk
