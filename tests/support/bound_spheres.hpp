// SPDX-License-Identifier: GPL-3.0-or-later
// Plummer spheres in equilibrium as members of groups.
#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "analysis/subhalos/member.hpp"
#include "host/base/units.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::test {

/// A sphere of `n` particles and this total mass (1e10 Msun/h) within about `radius` (Mpc/h), at z = 0.
struct SphereOfMembers {
  std::size_t n = 1000;
  double mass = 1000, radius = 0.2;
  Vec3d centre = {}, velocity = {};
  std::uint64_t first_id = 0, seed = 1;

  /// Isotropic velocities of 0.9 of the local dispersion sqrt(G M / (6 sqrt(r^2 + b^2))) along each axis, cut at 0.9 of
  /// the speed of escape.
  [[nodiscard]] std::vector<Member> make() const {
    const ParticleStore sphere = plummer(n, seed);
    std::mt19937_64 engine(seed + 100);
    std::normal_distribution<double> normal(0, 1);
    const double scale = 3 * std::numbers::pi / 16 * radius;
    std::vector<Member> members;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3d x = radius * sphere.position[i];
      const double depth = units::gravitational_constant * mass / std::sqrt(norm2(x) + scale * scale);
      Vec3d v = 0.9 * std::sqrt(depth / 6) * Vec3d{normal(engine), normal(engine), normal(engine)};
      const double fastest = 0.9 * std::sqrt(2 * depth);
      if (norm(v) > fastest) v *= fastest / norm(v);
      members.push_back({first_id + i, static_cast<Vec3f>(centre + x), static_cast<Vec3f>(velocity + v),
                         static_cast<float>(mass / static_cast<double>(n))});
    }
    return members;
  }
};

inline std::vector<Member> together(std::vector<Member> a, const std::vector<Member>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace multiwalk::test
