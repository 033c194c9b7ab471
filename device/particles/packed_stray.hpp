// SPDX-License-Identifier: GPL-3.0-or-later
// A kept particle on its way to another rank.
#pragma once

#include <cstdint>

#include "host/base/vec3.hpp"

namespace multiwalk {

/// Without its id. Begins with the position, as PackedStrays states.
struct PackedStray {
  Vec3d position;
  Vec3f velocity, acceleration;
  Vec3f long_range;  ///< zeros without rungs
  float mass;
  std::uint32_t rung;  ///< 0 without rungs
  std::uint32_t unused;
};

}  // namespace multiwalk
