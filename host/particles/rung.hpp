// SPDX-License-Identifier: GPL-3.0-or-later
// Rungs of block steps: a particle on rung k takes steps of a block / 2^k. One source for host and device.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "host/base/host_device.hpp"

namespace multiwalk {

inline constexpr int deepest_rung = 20;
inline constexpr int rung_count = deepest_rung + 1;

/// One value for each rung.
template <class T>
using PerRung = std::array<T, rung_count>;

/// The rung whose step is the longest that a particle's acceleration allows, scale / sqrt(|acceleration|); or the
/// deepest rung whose step is at least min_step, if that is shallower.
struct RungCriterion {
  double block = 0;  ///< length of the block; all in ln a or time
  double scale = 0;  ///< step_scale (host/time/step_control.hpp); 0: nothing limits the step
  double min_step = 0;

  [[nodiscard]] MULTIWALK_HOST_DEVICE int operator()(double acceleration) const {
    if (scale == 0 || acceleration == 0) return 0;
    // If a block is as long as the wanted step or the shortest allowed one, up to rounding, it counts as that step.
    const double steps = block * std::sqrt(acceleration) / scale * (1 - 1e-12);
    const double most = min_step > 0 ? block / min_step * (1 + 1e-12) : INFINITY;
    int rung = 0;
    for (double parts = 1; parts < steps && rung < deepest_rung && 2 * parts <= most; parts *= 2) ++rung;
    return rung;
  }
};

}  // namespace multiwalk
