// SPDX-License-Identifier: GPL-3.0-or-later
// Axis-aligned box and its distance to a point.
#pragma once

#include <limits>

#include "host/base/vec3.hpp"

namespace multiwalk {

struct Box {
  Vec3d lo{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
           std::numeric_limits<double>::infinity()};
  Vec3d hi{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
           -std::numeric_limits<double>::infinity()};

  [[nodiscard]] bool empty() const { return lo.x > hi.x; }
  [[nodiscard]] Vec3d centre() const { return 0.5 * (lo + hi); }
  [[nodiscard]] Vec3d half_size() const { return 0.5 * (hi - lo); }
  [[nodiscard]] bool contains(Vec3d p) const {
    return p.x >= lo.x && p.x <= hi.x && p.y >= lo.y && p.y <= hi.y && p.z >= lo.z && p.z <= hi.z;
  }

  void include(Vec3d p) {
    for (int axis = 0; axis < 3; ++axis) {
      if (p[axis] < lo[axis]) lo[axis] = p[axis];
      if (p[axis] > hi[axis]) hi[axis] = p[axis];
    }
  }
  [[nodiscard]] bool meets(const Box& other) const {
    return lo.x <= other.hi.x && other.lo.x <= hi.x && lo.y <= other.hi.y && other.lo.y <= hi.y && lo.z <= other.hi.z &&
           other.lo.z <= hi.z;
  }
  /// The intersection of both boxes; empty() if there is none.
  [[nodiscard]] Box common_with(const Box& other) const {
    Box common;
    if (!meets(other)) return common;
    for (int axis = 0; axis < 3; ++axis) {
      common.lo[axis] = std::fmax(lo[axis], other.lo[axis]);
      common.hi[axis] = std::fmin(hi[axis], other.hi[axis]);
    }
    return common;
  }

  void include(const Box& other) {
    if (other.empty()) return;
    include(other.lo);
    include(other.hi);
  }
};

/// Cube: lower corner and side.
struct Cube {
  Vec3d corner;
  double side = 0;
  bool periodic = false;  ///< opposite faces coincide

  /// Side of the box if it is periodic, else 0.
  [[nodiscard]] double period() const { return periodic ? side : 0; }
};

/// The periodic box [0, side).
inline Cube periodic_cube(double side) {
  return {{0, 0, 0}, side, true};
}

/// Smallest cube about `box` with a margin, so that no particle lies on its upper faces; side 1 for a point.
inline Cube enclosing_cube(const Box& box) {
  if (box.empty()) return {{0, 0, 0}, 1.0};
  const Vec3d extent = box.hi - box.lo;
  double side = std::fmax(extent.x, std::fmax(extent.y, extent.z));
  const Vec3d centre = box.centre();
  const double scale = std::fmax(std::fabs(centre.x), std::fmax(std::fabs(centre.y), std::fabs(centre.z)));
  side = side > 0 ? side * (1 + 1e-9) : std::fmax(1.0, scale * 1e-6);
  side = std::fmax(side, scale * 1e-14);
  return {centre - Vec3d{side / 2, side / 2, side / 2}, side};
}

}  // namespace multiwalk
