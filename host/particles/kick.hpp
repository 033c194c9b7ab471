// SPDX-License-Identifier: GPL-3.0-or-later
// Kick and drift of one particle: one source for host and device, whose results agree bit for bit where multiply and
// add are not fused.
#pragma once

#include "host/base/vec3.hpp"

namespace multiwalk {

// nvcc reads Vec3d(Vec3f) and Vec3f(Vec3d) as aggregate initialisation in host code, hence component by component.
MULTIWALK_HOST_DEVICE Vec3d widened(Vec3f v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

/// acceleration + background x: the acceleration in comoving coordinates without the smooth background
/// (host/time/leapfrog.hpp).
MULTIWALK_HOST_DEVICE Vec3d peculiar_pull(Vec3f acceleration, Vec3d position, double background) {
  return widened(acceleration) + background * position;
}

/// peculiar_pull without the long-range part of the acceleration, which acts once per block.
MULTIWALK_HOST_DEVICE Vec3d short_range_pull(Vec3d peculiar_pull, Vec3f long_range) {
  return peculiar_pull - widened(long_range);
}

/// velocity + factor x pull.
MULTIWALK_HOST_DEVICE Vec3f kicked(Vec3f velocity, double factor, Vec3d pull) {
  const Vec3d v = widened(velocity) + factor * pull;
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// position + factor x velocity.
MULTIWALK_HOST_DEVICE Vec3d drifted(Vec3d position, double factor, Vec3f velocity) {
  return position + factor * widened(velocity);
}

}  // namespace multiwalk
