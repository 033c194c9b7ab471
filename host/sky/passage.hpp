// SPDX-License-Identifier: GPL-3.0-or-later
// Which particles may cross the light that reaches an observer, during a drift: a test that is cheap and may choose too
// many, but never too few. One source for host and device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/sky/replica.hpp"

namespace multiwalk {

/// A copy of the particles at (image[0], image[1], image[2]) box sizes. An image, relative to the observer, is at
/// replica.placed(x) + shift, or at x + shift if the replica is not changed. Lengths: Mpc/h.
struct PassageCopy {
  Vec3d shift;
  int image[3] = {0, 0, 0};
  Replica replica = {};
};

/// The light during a drift, and the part of the sky in view. Directions are in the axes of the box.
struct LightSweep {
  double period = 0;  ///< side of the periodic box; 0: vacuum
  double factor = 0;  ///< a particle moves by factor * velocity
  double begin = 0;   ///< distance of the light at the beginning
  double inner = 0;   ///< crossings have inner <= distance < outer
  double outer = 0;
  double light_way = 0;  ///< of the drift; particles that move farther always pass
  double slack = 0;      ///< a length above all rounding errors
  Vec3d face[3];         ///< the view has face * r >= 0 for each of them
  int faces = 0;
  Vec3d axis;                    ///< of the cone in view, a unit vector
  double cosine = -1, sine = 0;  ///< of its half angle
  bool cone = false;
};

/// Selects the particles that may pass: the light's sweep during a drift, and the copies of the box in which particles
/// slower than light can pass. Without copies nothing can pass.
struct Passage {
  LightSweep light;
  std::vector<PassageCopy> copies;
};

/// Particles that may pass, in the order of their store.
struct PassingParticles {
  std::span<const std::uint32_t> index;  ///< in the store, rising
  std::span<const Vec3d> position;       ///< as kept
  std::span<const Vec3f> velocity;

  [[nodiscard]] std::size_t size() const { return index.size(); }
};

/// The image in the box, with the bits of wrapped(); nearly all particles lie there already.
MULTIWALK_HOST_DEVICE Vec3d in_box(Vec3d x, double period) {
  const bool inside = x.x >= 0 && x.y >= 0 && x.z >= 0 && x.x < period && x.y < period && x.z < period;
  return inside ? x : wrapped(x, period);
}

/// False only if no point of the sphere is in view.
MULTIWALK_HOST_DEVICE bool may_be_in_view(const LightSweep& light, Vec3d centre, double radius) {
  for (int k = 0; k < light.faces; ++k) {
    if (dot(centre, light.face[k]) < -radius) return false;
  }
  if (!light.cone) return true;
  const double along = dot(centre, light.axis), across = norm(centre - along * light.axis);
  return across * light.cosine - along * light.sine <= radius;  // the distance from the cone, or less
}

/// Whether distances between `nearest2` and `farthest2`, squared, can be those of images before drifts of length `way`
/// that cross the light.
MULTIWALK_HOST_DEVICE bool may_meet_light(const LightSweep& light, double nearest2, double farthest2, double way) {
  const double most = std::fmin(light.begin, light.outer + way) + light.slack;
  const double least = std::fmax(light.inner - way - light.slack, 0.0);
  return nearest2 <= most * most && farthest2 >= least * least;
}

/// Whether the image of a particle may cross the light. `x`: in the box, before a drift of length `way`.
MULTIWALK_HOST_DEVICE bool may_pass(const LightSweep& light, const PassageCopy& copy, Vec3d x, double way) {
  const Vec3d image = (copy.replica.changed ? copy.replica.placed(x, light.period) : x) + copy.shift;
  const double r2 = norm2(image);
  return may_meet_light(light, r2, r2, way) && may_be_in_view(light, image, way + light.slack);
}

/// Whether images of particles between these corners, in the box, may cross the light if no drift is longer than `way`.
MULTIWALK_HOST_DEVICE bool may_pass(const LightSweep& light, const PassageCopy& copy, Vec3d lo, Vec3d hi, double way) {
  const Replica& turn = copy.replica;
  double nearest2 = 0, farthest2 = 0;
  Vec3d centre, half;
  for (int k = 0; k < 3; ++k) {
    double low = lo[k], high = hi[k];
    if (turn.changed) {
      const double a = turn.sign[k] * lo[turn.axis[k]] + turn.shift[k],
                   b = turn.sign[k] * hi[turn.axis[k]] + turn.shift[k];
      low = wrapped(std::fmin(a, b), light.period) - light.slack;
      high = low + std::fabs(b - a) + 2 * light.slack;
      const bool cut = low < 0 || high > light.period;  // perhaps by a face
      low = cut ? 0 : low;
      high = cut ? light.period : high;
    }
    low += copy.shift[k];
    high += copy.shift[k];
    const double nearest = std::fmax(0.0, std::fmax(low, -high)), farthest = std::fmax(-low, high);
    nearest2 += nearest * nearest;
    farthest2 += farthest * farthest;
    centre[k] = 0.5 * (low + high);
    half[k] = 0.5 * (high - low);
  }
  return may_meet_light(light, nearest2, farthest2, way) &&
         may_be_in_view(light, centre, norm(half) + way + light.slack);
}

}  // namespace multiwalk
