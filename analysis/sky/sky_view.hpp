// SPDX-License-Identifier: GPL-3.0-or-later
// The position of an observer, the orientation of the sky, and the part of the sky that is in view.
#pragma once

#include <cmath>

#include "host/sky/sky_window.hpp"

namespace multiwalk {

/// Axes of the sky in the box: z points to the north pole, x to longitude 0. They are orthonormal and right-handed.
struct SkyFrame {
  Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

  /// `meridian` is made orthogonal to `pole`; they must not be parallel.
  static SkyFrame of(Vec3d pole, Vec3d meridian) {
    const Vec3d z = (1 / norm(pole)) * pole;
    const Vec3d along = meridian - dot(meridian, z) * z;
    const Vec3d x = (1 / norm(along)) * along;
    return {x, cross(z, x), z};
  }
  [[nodiscard]] bool is_that_of_box() const {
    return x == Vec3d{1, 0, 0} && y == Vec3d{0, 1, 0} && z == Vec3d{0, 0, 1};
  }
  [[nodiscard]] Vec3d to_sky(Vec3d v) const { return {dot(v, x), dot(v, y), dot(v, z)}; }
};

/// Vectors are in the frame of the sky, relative to the observer.
struct SkyView {
  Vec3d observer;  ///< comoving, in the box
  SkyFrame frame;
  SkyOpening opening = SkyOpening::full;
  Vec3d axis{0, 0, 1};    ///< of a cone, in the frame of the sky: a unit vector
  double half_angle = 0;  ///< of a cone, radians

  [[nodiscard]] SkyWindow window() const {
    return {frame.x, frame.y, frame.z, frame.is_that_of_box(), opening, axis, std::cos(half_angle)};
  }
  [[nodiscard]] bool contains(Vec3d r) const { return opening == SkyOpening::full || window().contains(r); }

  /// False only if no point of the sphere is in view.
  [[nodiscard]] bool may_meet(Vec3d centre, double radius) const {
    const double reach = radius * (1 + 1e-9), distance = norm(centre);
    if (opening == SkyOpening::full || distance <= reach) return true;
    if (opening == SkyOpening::octant) return centre.x >= -reach && centre.y >= -reach && centre.z >= -reach;
    const double angle = std::acos(std::fmax(-1.0, std::fmin(1.0, dot(centre, axis) / distance)));
    return angle <= half_angle + std::asin(reach / distance) + 1e-9;
  }
};

}  // namespace multiwalk
