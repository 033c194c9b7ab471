// SPDX-License-Identifier: GPL-3.0-or-later
// A group's particles as unbinding sees them: about an origin of their own, so that single precision is enough.
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
