// SPDX-License-Identifier: GPL-3.0-or-later
// Turns a walk's sums into the targets' accelerations and potentials.
#pragma once

#include <cmath>
#include <cstddef>

#include "host/force/force_backend.hpp"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// Multiplies by G and removes the own pair, `depth` for a unit mass (own_depth), from the potential; adds if the
/// targets accumulate.
inline void store_force(double g, double depth, const TargetView& targets, std::size_t i, const ForceSum<double>& sum) {
  const double own = targets.own_tree ? static_cast<double>(targets.mass[i]) * depth : 0;
  Vec3d acceleration = g * Vec3d{sum.x, sum.y, sum.z};
  double potential = -g * (sum.potential - own);
  if (targets.accumulate) {
    acceleration += Vec3d(targets.acceleration[i]);
    potential += static_cast<double>(targets.potential[i]);
  }
  targets.acceleration[i] = Vec3f(acceleration);
  targets.potential[i] = static_cast<float>(potential);
}

}  // namespace multiwalk
