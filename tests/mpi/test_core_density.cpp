// SPDX-License-Identifier: GPL-3.0-or-later
// Core and Lagrangian radii of bodies distributed over ranks compared with those on one rank.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "analysis/conservation/core_density.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

/// Concentrated, of unequal masses; `keep` says which.
template <class Keep>
Bodies make_bodies(Keep keep) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Bodies bodies;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const double size = std::exp(normal(random));
    const Vec3d position{size * normal(random), size * normal(random), 1 + size * normal(random)};
    if (!keep(i)) continue;
    bodies.resize(bodies.size() + 1);
    bodies.position.back() = position;
    bodies.mass.back() = 1e-3 * static_cast<double>(1 + i % 5);
    bodies.id.back() = i;
  }
  return bodies;
}

TEST(CoreDensityOverRanks, IsThatOfOneRank) {
  const Bodies all = make_bodies([](std::uint64_t) { return true; });
  const auto last = static_cast<std::uint64_t>(world().size() - 1);  // has nothing, unless alone
  const Bodies mine = make_bodies([&](std::uint64_t i) {
    return i % std::max<std::uint64_t>(last, 1) == static_cast<std::uint64_t>(world().rank());
  });
  const ClusterCore expected = cluster_core(all), core = cluster_core(mine, world());
  EXPECT_LT(norm(core.centre - expected.centre), 1e-12);
  EXPECT_NEAR(core.density, expected.density, 1e-12 * expected.density);
  EXPECT_NEAR(core.density_radius, expected.density_radius, 1e-12);
  EXPECT_NEAR(core.core_radius, expected.core_radius, 1e-12);
  const std::array<double, 3> fractions{0.1, 0.5, 0.9};
  const std::vector<double> one = lagrangian_radii(all, expected.centre, fractions);
  const std::vector<double> several = lagrangian_radii(mine, expected.centre, fractions, world());
  for (std::size_t f = 0; f < 3; ++f) EXPECT_NEAR(several[f], one[f], 1e-12) << fractions[f];
}

}  // namespace
}  // namespace multiwalk
