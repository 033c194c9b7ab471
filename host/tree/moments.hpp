// SPDX-License-Identifier: GPL-3.0-or-later
// P2M and M2M: mass, centre of mass and second moment, accumulated in double precision.
#pragma once

#include <cstdint>

#include "host/tree/octree.hpp"

namespace multiwalk {

/// Sums about an origin near the centre of mass.
struct MomentSum {
  double mass = 0;
  Vec3d first;  // sum m (x - origin)
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  MULTIWALK_HOST_DEVICE void add(double m, Vec3d x) {
    mass += m;
    first += m * x;
    xx += m * x.x * x.x;
    xy += m * x.x * x.y;
    xz += m * x.x * x.z;
    yy += m * x.y * x.y;
    yz += m * x.y * x.z;
    zz += m * x.z * x.z;
  }
  /// Adds a child's own second moment.
  MULTIWALK_HOST_DEVICE void add_spread(const Multipole& c) {
    xx += static_cast<double>(c.xx);
    xy += static_cast<double>(c.xy);
    xz += static_cast<double>(c.xz);
    yy += static_cast<double>(c.yy);
    yz += static_cast<double>(c.yz);
    zz += static_cast<double>(c.zz);
  }
  /// Shifts the second moment from `origin` to the centre of mass (parallel axes).
  MULTIWALK_HOST_DEVICE Multipole about_centre_of_mass(Vec3d origin) const {
    const Vec3d s = mass > 0 ? first * (1 / mass) : Vec3d{};
    return {origin + s,
            static_cast<float>(mass),
            static_cast<float>(xx - mass * s.x * s.x),
            static_cast<float>(xy - mass * s.x * s.y),
            static_cast<float>(xz - mass * s.x * s.z),
            static_cast<float>(yy - mass * s.y * s.y),
            static_cast<float>(yz - mass * s.y * s.z),
            static_cast<float>(zz - mass * s.z * s.z)};
  }
};

/// Moments of `count` > 0 particles.
MULTIWALK_HOST_DEVICE Multipole multipole_of_particles(const Vec3d* position, const float* mass, std::uint32_t count) {
  MomentSum sum;
  for (std::uint32_t i = 0; i < count; ++i) sum.add(static_cast<double>(mass[i]), position[i] - position[0]);
  return sum.about_centre_of_mass(position[0]);
}

/// Moments of `count` > 0 cells together.
MULTIWALK_HOST_DEVICE Multipole multipole_of_cells(const Multipole* cell, std::uint32_t count) {
  const Vec3d origin = cell[0].centre_of_mass;
  MomentSum sum;
  for (std::uint32_t c = 0; c < count; ++c) {
    sum.add(static_cast<double>(cell[c].mass), cell[c].centre_of_mass - origin);
    sum.add_spread(cell[c]);
  }
  return sum.about_centre_of_mass(origin);
}

}  // namespace multiwalk
