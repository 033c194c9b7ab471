// SPDX-License-Identifier: GPL-3.0-or-later
// The particles of a group for unbinding: positions are relative to an origin in the group, so single precision
// suffices.
#pragma once

#include <cstdint>

#include "host/base/vec3.hpp"

namespace multiwalk {

struct Member {
  std::uint64_t id = 0;
  Vec3f place;     ///< comoving Mpc/h from the group's origin
  Vec3f velocity;  ///< peculiar, km/s
  float mass = 0;  ///< 1e10 Msun/h
};

}  // namespace multiwalk
