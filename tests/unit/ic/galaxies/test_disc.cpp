// SPDX-License-Identifier: GPL-3.0-or-later
// The exponential disc: its mass, its rotation curve against a sum over rings, and the velocities of its stars.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/base/gsl_check.hpp"
#include "ic/galaxies/disc_motion.hpp"
#include "ic/galaxies/exponential_disc.hpp"

namespace multiwalk {
namespace {

/// Potential in the plane of a thin disc, from its definition: int Sigma(R') K(m) 4 R' / (R + R') dR', with the
/// complete elliptic integral K as the arithmetic-geometric mean.
double disc_potential(const ExponentialDisc& disc, double cylinder) {
  const auto ring = [&](double offset) {
    const double r = cylinder + offset;
    double x = 1, y = std::fabs(offset) / (r + cylinder);
    for (int i = 0; i < 40; ++i) {
      const double mean = (x + y) / 2;
      y = std::sqrt(x * y);
      x = mean;
    }
    return 4 * r / (r + cylinder) * disc.surface_density(r) * std::numbers::pi / (2 * x);
  };
  // R' = R +- s^3, since K has a logarithm at R' = R.
  const auto side = [&](int sign, double reach) {
    return integrate([&](double s) { return 3 * s * s * ring(sign * s * s * s); }, 0, std::cbrt(reach), 1e-9);
  };
  return -side(-1, cylinder) - side(1, 40 * disc.radius);
}

TEST(ExponentialDisc, MassAndRadiusAreInverse) {
  const ExponentialDisc disc{0.3, 2};
  for (const double r : {1e-5, 1e-3, 0.1, 2.0, 10.0, 60.0}) {
    const double mass =
        integrate([&](double s) { return 2 * std::numbers::pi * s * disc.surface_density(s); }, 0, r, 1e-10);
    EXPECT_NEAR(disc.enclosed(r) / mass, 1, 1e-8) << r;
    EXPECT_NEAR(
        disc.spread_density(r) * 4 * std::numbers::pi * r * r / (2 * std::numbers::pi * r * disc.surface_density(r)), 1,
        1e-12);
  }
  for (const double fraction : {1e-12, 1e-6, 0.1, 0.5, 0.99, 1 - 1e-12}) {
    EXPECT_NEAR(disc.enclosed(disc.radius_of(fraction)) / (0.3 * fraction), 1, 1e-3 * std::exp(-fraction * 1e9) + 1e-9)
        << fraction;
  }
}

TEST(ExponentialDisc, RotatesAsItsRingsPull) {
  const ExponentialDisc disc{0.3, 2};
  for (const double r : {0.1, 1.0, 4.0, 10.0}) {
    const double step = 1e-3;
    const double pull =
        (disc_potential(disc, r * std::exp(step)) - disc_potential(disc, r * std::exp(-step))) / (2 * step);
    EXPECT_NEAR(disc.speed2(r) / pull, 1, 1e-4) << r;
    const double change = (disc.speed2(r * std::exp(step)) - disc.speed2(r * std::exp(-step))) / (2 * step);
    EXPECT_NEAR(disc.speed2_change(r), change, 1e-6 * disc.speed2(r)) << r;
  }
  EXPECT_NEAR(disc.speed2(400) * 400 / 0.3, 1, 1e-3);  // a point
}

TEST(DiscMotion, HasTheToomreQAskedFor) {
  GalaxyOptions galaxy;
  galaxy.toomre_q = 1.3;
  galaxy.disc_radius = 1.5;
  const GalaxyPotential potential(galaxy);
  const DiscMotion motion(galaxy, potential);
  EXPECT_NEAR(motion.toomre_q(3), 1.3, 1e-12);
  // From the definition, with kappa from the gradient of angular momentum.
  const auto spin2 = [&](double r) { return motion.speed2(r) * r * r; };
  const double kappa2 = (spin2(3.003) - spin2(2.997)) / 0.006 / 27;
  EXPECT_NEAR(motion.epicyclic2(3) / kappa2, 1, 1e-6);
  EXPECT_NEAR(motion.at(3).sigma_r * std::sqrt(kappa2) / (3.36 * potential.disc().surface_density(3)), 1.3, 1e-5);
  EXPECT_NEAR(std::pow(motion.at(3).sigma_r / motion.at(6).sigma_r, 2), std::exp(2), 1e-9);
}

TEST(DiscMotion, CircularSpeedIsThatOfAllComponents) {
  const GalaxyOptions galaxy;
  const GalaxyPotential potential(galaxy);
  const DiscMotion motion(galaxy, potential);
  for (const double r : {0.1, 1.0, 5.0}) {
    EXPECT_NEAR(motion.speed2(r), potential.spheroid_mass(r) / r + potential.disc().speed2(r), 1e-12) << r;
  }
  EXPECT_NEAR(motion.speed2(1e4) * 1e4, 1, 1e-6);
  EXPECT_NEAR(motion.epicyclic2(1e4) / (motion.speed2(1e4) * 1e-8), 1, 1e-6);  // Kepler
}

TEST(DiscMotion, RadialJeansEquationHolds) {
  // d(Sigma sigma_R^2)/dR + Sigma [(sigma_R^2 - <v_phi^2>) / R + v_c^2 / R] = 0.
  const GalaxyOptions galaxy;
  const GalaxyPotential potential(galaxy);
  const DiscMotion motion(galaxy, potential);
  const auto pressure = [&](double r) {
    return potential.disc().surface_density(r) * std::pow(motion.at(r).sigma_r, 2);
  };
  for (const double r : {0.3, 1.0, 2.0, 5.0}) {
    const DiscVelocities v = motion.at(r);
    const double gradient = (pressure(r * 1.001) - pressure(r / 1.001)) / (r * 1.001 - r / 1.001);
    const double round2 = v.rotation * v.rotation + v.sigma_phi * v.sigma_phi;
    const double inward = potential.disc().surface_density(r) * (v.sigma_r * v.sigma_r - round2 + motion.speed2(r)) / r;
    EXPECT_NEAR(gradient / inward, -1, 1e-4) << r;
    EXPECT_NEAR(v.sigma_phi / v.sigma_r, std::sqrt(motion.epicyclic2(r) / motion.speed2(r)) * r / 2, 1e-9);
    EXPECT_LT(v.rotation, std::sqrt(motion.speed2(r)));
  }
}

TEST(DiscMotion, VerticalVirialTheoremHolds) {
  GalaxyOptions alone;
  alone.disc_mass = 1;
  alone.bulge_mass = 0;
  const GalaxyPotential of_disc(alone);
  EXPECT_TRUE(of_disc.spheroids().empty());
  EXPECT_NEAR(std::pow(DiscMotion(alone, of_disc).at(2).sigma_z, 2),
              std::numbers::pi * of_disc.disc().surface_density(2) * alone.disc_height, 1e-12);
  // With halo and bulge: sigma_z^2 = <z dphi/dz>, here over the sheet's heights by an independent sum.
  const GalaxyOptions galaxy;
  const GalaxyPotential potential(galaxy);
  for (const double r : {0.05, 0.5, 3.0}) {
    double mean = 0;
    for (double s = 0.0005; s < 15; s += 0.001) {
      const double z = s * galaxy.disc_height, distance = std::hypot(r, z);
      const double sheet = 2 * std::numbers::pi * potential.disc().surface_density(r) * std::tanh(s);
      const double pull = sheet + z * potential.spheroid_mass(distance) / std::pow(distance, 3);
      mean += 0.001 * z * pull / std::pow(std::cosh(s), 2);
    }
    EXPECT_NEAR(std::pow(DiscMotion(galaxy, potential).at(r).sigma_z, 2) / mean, 1, 1e-5) << r;
  }
}

}  // namespace
}  // namespace multiwalk
