// SPDX-License-Identifier: GPL-3.0-or-later
// Core and Lagrangian radii and the energy of Plummer spheres against their closed forms; neighbours against all pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "analysis/conservation/conservation.hpp"
#include "analysis/conservation/core_density.hpp"
#include "analysis/conservation/nearest.hpp"
#include "ic/models/plummer.hpp"

namespace multiwalk {
namespace {

constexpr double plummer_scale = 3 * std::numbers::pi / 16;

Bodies plummer(std::uint64_t n, std::uint64_t seed = 1) {
  const ParticleSystem system = make_plummer(n, seed);
  const ParticleStore& p = system.particles;
  Bodies bodies;
  bodies.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    bodies.position[i] = p.position[i];
    bodies.velocity[i] = static_cast<Vec3d>(p.velocity[i]);
    bodies.mass[i] = static_cast<double>(p.mass[i]);
    bodies.id[i] = p.id[i];
  }
  return bodies;
}

/// In the middle of nowhere, so that nothing may depend on the origin.
Bodies shifted(Bodies bodies, Vec3d by) {
  for (Vec3d& x : bodies.position) x += by;
  return bodies;
}

TEST(CoreDensity, IsThatOfAPlummerSphere) {
  const Vec3d away{3, -2, 5};
  const ClusterCore core = cluster_core(shifted(plummer(32768), away));
  EXPECT_LT(norm(core.centre - away), 0.01);
  // Integrals of rho ~ (1 + x^2)^(-5/2): 1/24 over 1/2 B(3/2, 7/2), and 3/10 for the mean square.
  EXPECT_NEAR(core.density_radius, 0.67906 * plummer_scale, 0.01 * plummer_scale);
  EXPECT_NEAR(core.core_radius, std::sqrt(0.3) * plummer_scale, 0.01 * plummer_scale);
  // rho(0) B(3/2, 6)/B(3/2, 7/2), and 5/4 for the scatter of densities from six neighbours: <rho^2> = 5/4 <rho>^2.
  const double central = 3 / (4 * std::numbers::pi * plummer_scale * plummer_scale * plummer_scale);
  EXPECT_NEAR(core.density, 1.25 * 0.46311 * central, 0.02 * central);
}

TEST(CoreDensity, FollowsTheBodiesInAllUnits) {
  Bodies bodies = plummer(4096);
  const ClusterCore core = cluster_core(bodies);
  for (Vec3d& x : bodies.position) x *= 1e3;
  for (double& m : bodies.mass) m *= 1e6;
  const ClusterCore scaled = cluster_core(bodies);
  EXPECT_NEAR(scaled.core_radius, 1e3 * core.core_radius, 1e-9 * scaled.core_radius);
  EXPECT_NEAR(scaled.density, 1e-3 * core.density, 1e-9 * scaled.density);
}

TEST(CoreDensity, OfAFewBodiesIsTheCentreOfMass) {
  Bodies bodies = plummer(3);
  bodies.mass = {1, 2, 1};
  const Vec3d centre = 0.25 * (bodies.position[0] + 2.0 * bodies.position[1] + bodies.position[2]);
  EXPECT_LT(norm(cluster_core(bodies).centre - centre), 1e-14);
  EXPECT_EQ(cluster_core(Bodies()).density, 0);
}

TEST(LagrangianRadii, AreThoseOfAPlummerSphere) {
  const Vec3d away{3, -2, 5};
  const std::array<double, 3> fractions{0.1, 0.5, 0.9};
  const std::vector<double> radii = lagrangian_radii(shifted(plummer(32768), away), away, fractions);
  for (std::size_t f = 0; f < 3; ++f) {
    const double analytic = plummer_scale / std::sqrt(std::pow(0.999 * fractions[f], -2.0 / 3) - 1);
    EXPECT_NEAR(radii[f], analytic, 0.02 * analytic) << fractions[f];
  }
}

TEST(LagrangianRadii, ReachTheBodyThatFillsTheFraction) {
  Bodies bodies;
  bodies.resize(4);
  for (std::size_t i = 0; i < 4; ++i) bodies.position[i] = {0, 0, static_cast<double>(4 - i)};
  bodies.mass = {4, 3, 2, 1};  // at 4, 3, 2, 1
  const std::array<double, 5> fractions{0.1, 0.11, 0.3, 0.6, 1};
  EXPECT_EQ(lagrangian_radii(bodies, {}, fractions), (std::vector<double>{1, 2, 2, 3, 4}));
  EXPECT_EQ(lagrangian_radii(Bodies(), {}, fractions), std::vector<double>(5, 0.0));
}

TEST(EnergyOfBodies, IsMinusAQuarterInPlummersSphere) {
  Bodies bodies = plummer(4096);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = 0; j < bodies.size(); ++j)
      if (i != j) bodies.potential[i] -= bodies.mass[j] / norm(bodies.position[i] - bodies.position[j]);
  const EnergySums sums = energy_sums(bodies);
  EXPECT_NEAR(sums.kinetic + sums.potential, -0.25, 0.01);
  EXPECT_NEAR(-2 * sums.kinetic / sums.potential, 1, 0.03);
  EXPECT_LT(norm(momentum_sums(bodies).linear), 1e-8);
}

TEST(PointTree, FindsTheNearestOfAll) {
  const Bodies bodies = plummer(1000);
  std::vector<PointTree::Point> points;
  for (std::size_t i = 0; i < bodies.size(); ++i) points.push_back({bodies.position[i], 1.0 + double(i), i});
  const PointTree tree(points);
  for (std::size_t i = 0; i < bodies.size(); i += 7) {
    NearestPoints<6> found, expected;
    tree.add_nearest(points[i].position, i, found);
    for (const PointTree::Point& other : points)
      if (other.id != i) expected.add(norm2(other.position - points[i].position), other.mass);
    EXPECT_EQ(found.square, expected.square);
    EXPECT_EQ(found.mass, expected.mass);
  }
}

}  // namespace
}  // namespace multiwalk
