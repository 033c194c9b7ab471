// SPDX-License-Identifier: GPL-3.0-or-later
// Where a particle in a copy of the box crosses the light during a drift. One source for host and device, whose
// results agree bit for bit where multiply and add are not fused.
#pragma once

#include <cmath>
#include <cstdint>

#include "host/particles/kick.hpp"
#include "host/sky/light_rays.hpp"
#include "host/sky/passage.hpp"
#include "host/sky/sky_window.hpp"

namespace multiwalk {

/// An image of a particle at the moment when it crosses the light cone. Vectors are in the frame of the sky.
struct Crossing {
  Vec3d position;   ///< relative to the observer, comoving Mpc/h
  double distance;  ///< norm of the position, apart from rounding
  double a;         ///< expansion factor
  Vec3f momentum;   ///< p = a^2 dx/dt of the drift, which belongs to the middle of the particle's own step
  float mass = 0;
  std::uint64_t id = 0;
};

/// The drift of a particle in a copy of the box, without the copy's shift.
struct WayInCopy {
  Vec3d from, end;  ///< before and after the drift, both in the box
  int moved[3];     ///< boxes by which wrapping moves the end back
  double length2;   ///< square of the length of the drift
};

/// How many boxes lie between b and its image a.
MULTIWALK_HOST_DEVICE int boxes_between(double a, double b, double period) {
  return a != b && period > 0 ? static_cast<int>(std::lround((a - b) / period)) : 0;
}

/// `kept`: the particle's position, in the box or not.
MULTIWALK_HOST_DEVICE WayInCopy way_in_copy(Vec3d kept, Vec3f velocity, double factor, double period,
                                            const Replica& replica) {
  Vec3d from = in_box(kept, period), to = drifted(from, factor, velocity);
  Vec3d end = in_box(drifted(kept, factor, velocity), period);
  if (replica.changed) {
    const Vec3d way = replica.turned(to - from);
    from = replica.placed(from, period);
    to = from + way;
    end = replica.placed(end, period);
  }
  return {from,
          end,
          {boxes_between(to.x, end.x, period), boxes_between(to.y, end.y, period), boxes_between(to.z, end.z, period)},
          norm2(to - from)};
}

/// From a position in the box to its image, (x, y, z) boxes further, relative to the observer.
MULTIWALK_HOST_DEVICE Vec3d shift_of_image(int x, int y, int z, double period, Vec3d observer) {
  return Vec3d{x * period, y * period, z * period} - observer;
}

/// The velocity of a particle in the copy.
MULTIWALK_HOST_DEVICE Vec3d velocity_in_copy(Vec3f velocity, const Replica& replica) {
  const Vec3d v = widened(velocity);
  return replica.changed ? replica.turned(v) : v;
}

/// from^2 + u (along + u way2) is the squared distance of an image at a fraction u of its drift.
struct Approach {
  double from2, along, way2;

  MULTIWALK_HOST_DEVICE static Approach of(double x, double y, double z, double dx, double dy, double dz) {
    return {x * x + y * y + z * z, 2 * (x * dx + y * dy + z * dz), dx * dx + dy * dy + dz * dz};
  }
};

MULTIWALK_HOST_DEVICE double clamped(double x, double least, double most) {
  const double low = x < least ? least : x;
  return low > most ? most : low;
}

/// The first guess of the fraction of the drift at which an image meets the light: a parabola that would be right for
/// images at rest.
MULTIWALK_HOST_DEVICE double guessed_meeting(const LightRays& light, const Approach& image) {
  const double first = light.begin - image.from2, last = light.end - (image.from2 + image.along + image.way2);
  const double ratio = clamped(first / (first - last), 0, 1), linear = first > last ? ratio : 1;
  return clamped(linear + light.bend * linear * (1 - linear), 0, 1);
}

inline constexpr int most_improvements = 40;
/// Once two successive guesses of a meeting are this close, the error of the last is 1e-8 at most, usually 1e-10.
inline constexpr double close_guesses = 1e-4;

/// A better guess than u, by Newton's method on the difference of the squared distances, which needs no square roots.
MULTIWALK_HOST_DEVICE double improved_meeting(const Cubic& light, const Approach& image, double u) {
  const double l = light(u), size = std::fabs(l);
  const double ahead = l * size - (image.from2 + u * (image.along + u * image.way2));
  const double slope = 2 * size * light.slope(u) - (image.along + 2 * u * image.way2);
  const double newton = clamped(u - ahead / slope, 0, 1);
  return slope < 0 ? newton : u;
}

/// The fraction of the drift at which an image meets the light.
MULTIWALK_HOST_DEVICE double meeting(const LightRays& light, const Approach& image) {
  double u = guessed_meeting(light, image);
  for (int iteration = 0; iteration < most_improvements; ++iteration) {
    const double next = improved_meeting(light.distance, image, u), change = std::fabs(next - u);
    u = next;
    if (change < close_guesses) break;
  }
  return u;
}

/// What determines the crossings of a drift.
struct CrossingRules {
  LightSweep light;
  LightRays rays;
  double end;          ///< distance of the light after the drift
  double near, far;    ///< crossings have near <= distance < far
  double least, most;  ///< to which their distances are clamped
  Vec3d observer;
  SkyWindow window;
};

/// The crossing of a particle in one copy of the box, without mass and id. False if it does not cross there.
MULTIWALK_HOST_DEVICE bool crosses_in_copy(const CrossingRules& rules, const PassageCopy& copy, const WayInCopy& way,
                                           Vec3f own_velocity, Crossing& crossing) {
  const Vec3d from = way.from + copy.shift;
  if (!(norm2(from) < rules.light.begin * rules.light.begin)) return false;
  const bool stays = way.moved[0] == 0 && way.moved[1] == 0 && way.moved[2] == 0;
  const Vec3d shift = stays ? copy.shift
                            : shift_of_image(copy.image[0] + way.moved[0], copy.image[1] + way.moved[1],
                                             copy.image[2] + way.moved[2], rules.light.period, rules.observer);
  if (rules.end > 0 && !(norm2(way.end + shift) >= rules.end * rules.end)) return false;
  const Vec3d velocity = velocity_in_copy(own_velocity, copy.replica), step = rules.light.factor * velocity;
  const double u = meeting(rules.rays, Approach::of(from.x, from.y, from.z, step.x, step.y, step.z));
  const double distance = clamped(rules.rays.distance(u), rules.least, rules.most);
  if (!(distance >= rules.near && distance < rules.far)) return false;
  const Vec3d at = rules.window.to_sky({from.x + u * step.x, from.y + u * step.y, from.z + u * step.z});
  if (!rules.window.contains(at)) return false;
  const Vec3d p = rules.window.to_sky(velocity);
  crossing = {
      at, distance, rules.rays.a(u), {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)}, 0, 0};
  return true;
}

/// Radial peculiar velocity of a crossing, km/s, positive away from the observer.
MULTIWALK_HOST_DEVICE double radial_velocity(const Crossing& c) {
  return dot(widened(c.momentum), c.position) / (norm(c.position) * c.a);
}

}  // namespace multiwalk
