// SPDX-License-Identifier: GPL-3.0-or-later
// A particle as seen from a halo whose sphere may contain it.
#pragma once

#include <cstdint>

#include "host/base/vec3.hpp"

namespace multiwalk {

struct SphereSample {
  double square = 0;  ///< squared distance from the centre, comoving
  double mass = 0;
  Vec3f place{};     ///< relative to the centre, comoving
  Vec3f momentum{};  ///< canonical over mass: a times the peculiar velocity
  std::uint64_t id = 0;
};

}  // namespace multiwalk
