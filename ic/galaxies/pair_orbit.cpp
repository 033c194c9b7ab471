// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/pair_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace multiwalk {

namespace {

constexpr double degree = std::numbers::pi / 180;

}  // namespace

PairOrbit orbit_at_start(const GalaxyPairOptions& pair) {
  // r = p / (1 + e cos nu), with p the square of the angular momentum.
  const double e = pair.eccentricity, parameter = pair.pericentre * (1 + e);
  const double cosine = e > 0 ? std::clamp((parameter / pair.separation - 1) / e, -1.0, 1.0) : 1;
  const double sine = -std::sqrt(1 - cosine * cosine), speed = 1 / std::sqrt(parameter);
  return {Vec3d{cosine, sine, 0} * pair.separation, Vec3d{-sine, e + cosine, 0} * speed};
}

Tilt::Tilt(double inclination_degrees, double node_degrees)
    : cosine_(std::cos(inclination_degrees * degree)),
      sine_(std::sin(inclination_degrees * degree)),
      node_cosine_(std::cos(node_degrees * degree)),
      node_sine_(std::sin(node_degrees * degree)) {}

Vec3d Tilt::operator()(Vec3d vector) const {
  const Vec3d tilted{vector.x, cosine_ * vector.y - sine_ * vector.z, sine_ * vector.y + cosine_ * vector.z};
  return {node_cosine_ * tilted.x - node_sine_ * tilted.y, node_sine_ * tilted.x + node_cosine_ * tilted.y, tilted.z};
}

}  // namespace multiwalk
