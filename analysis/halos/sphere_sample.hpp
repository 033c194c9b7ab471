// SPDX-License-Identifier: GPL-3.0-or-later
// A particle as the halo whose sphere it may lie in sees it.
#pragma once

#include <cstdint>

#include "host/base/vec3.hpp"

namespace multiwalk {

struct SphereSample {
  double square = 0;  ///< squared distance from the centre, comoving
  double mass = 0;
  Vec3f place{};     ///< from the centre, comoving
  Vec3f momentum{};  ///< canonical over mass: a times the peculiar velocity
  std::uint64_t id = 0;
};

}  // namespace multiwalk
