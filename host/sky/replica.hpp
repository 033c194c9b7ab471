// SPDX-License-Identifier: GPL-3.0-or-later
// Rotations and shifts of the particles in a copy of a periodic box: one source for host and device.
#pragma once

#include "host/base/separation.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// A copy of the box rotates and shifts the particles: their coordinate k becomes
/// sign[k] * x[axis[k]] + shift[k], wrapped into the box.
struct Replica {
  int axis[3] = {0, 1, 2};
  int sign[3] = {1, 1, 1};
  Vec3d shift;
  bool changed = false;

  [[nodiscard]] MULTIWALK_HOST_DEVICE Vec3d turned(Vec3d v) const {
    return {sign[0] * v[axis[0]], sign[1] * v[axis[1]], sign[2] * v[axis[2]]};
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE Vec3d placed(Vec3d x, double period) const {
    return wrapped(turned(x) + shift, period);
  }
};

}  // namespace multiwalk
