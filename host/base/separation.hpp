// SPDX-License-Identifier: GPL-3.0-or-later
// Separations in periodic boxes.
#pragma once

#include <cmath>

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// How many periods b - a is from its nearest image along one axis: -1, 0 or 1 for points of one box. Period 0: none.
inline int images_apart(double a, double b, double period) {
  const double half = 0.5 * period;
  return period > 0 ? (b - a > half) - (b - a < -half) : 0;
}

/// b - a to the nearest image; both in [0, period], or period 0 for vacuum. separation(b, a) is its exact opposite.
inline Vec3d separation(Vec3d a, Vec3d b, double period) {
  Vec3d d = b - a;
  for (int axis = 0; axis < 3; ++axis) d[axis] -= images_apart(a[axis], b[axis], period) * period;
  return d;
}

/// The image of a coordinate in [0, period).
MULTIWALK_HOST_DEVICE double wrapped(double x, double period) {
  const double image = x - period * std::floor(x / period);
  return image < period ? image : 0;
}

/// The image of x in [0, period); x itself if period is 0.
MULTIWALK_HOST_DEVICE Vec3d wrapped(Vec3d x, double period) {
  if (!(period > 0)) return x;
  return {wrapped(x.x, period), wrapped(x.y, period), wrapped(x.z, period)};
}

}  // namespace multiwalk
