// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the sky that an observer sees. One source for host and device.
#pragma once

#include "host/base/vec3.hpp"

namespace multiwalk {

enum class SkyOpening { full, octant, cone };

/// Axes of the sky in the box, and the part in view in terms of these axes.
struct SkyWindow {
  Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};  ///< orthonormal
  bool upright = true;                       ///< the axes are those of the box
  SkyOpening opening = SkyOpening::full;
  Vec3d axis{0, 0, 1};  ///< of a cone, a unit vector
  double cosine = -1;   ///< of a cone's half angle

  [[nodiscard]] MULTIWALK_HOST_DEVICE Vec3d to_sky(Vec3d v) const {
    return upright ? v : Vec3d{dot(v, x), dot(v, y), dot(v, z)};
  }
  /// The octant has x, y, z >= 0; a cone includes its border.
  [[nodiscard]] MULTIWALK_HOST_DEVICE bool contains(Vec3d r) const {
    if (opening == SkyOpening::full) return true;
    if (opening == SkyOpening::octant) return r.x >= 0 && r.y >= 0 && r.z >= 0;
    return dot(r, axis) >= cosine * norm(r);
  }
};

}  // namespace multiwalk
