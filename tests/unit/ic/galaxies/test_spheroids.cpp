// SPDX-License-Identifier: GPL-3.0-or-later
// Halo and bulge: masses, potential and distribution function against analytic ones.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/base/gsl_check.hpp"
#include "ic/galaxies/distribution_function.hpp"
#include "ic/galaxies/galaxy_potential.hpp"
#include "ic/galaxies/spherical_profile.hpp"

namespace multiwalk {
namespace {

constexpr double a = 3, far = 1e7;

/// A Hernquist halo alone, with so distant a cut that it hardly matters.
GalaxyOptions halo_alone() {
  GalaxyOptions galaxy;
  galaxy.halo_radius = a;
  galaxy.cut = far;
  galaxy.disc_mass = galaxy.bulge_mass = 0;
  return galaxy;
}

/// Hernquist (1990) eq. 17, times the mass; q^2 = E a / M.
double hernquist_f(double energy) {
  const double q2 = energy * a, q = std::sqrt(q2);
  return (3 * std::asin(q) + q * std::sqrt(1 - q2) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3)) /
         (8 * std::numbers::sqrt2 * std::pow(std::numbers::pi, 3) * std::pow(a, 1.5) * std::pow(1 - q2, 2.5));
}

TEST(SphericalProfile, HernquistsMassIsAnalytic) {
  const SphericalProfile profile({a, 3, far}, 0.8, logarithmic_radii(1e-5, 6 * far, 60));
  for (const double r : {1e-7, 1e-4, 0.02, 1.0, 3.0, 40.0, 1000.0}) {
    const double expected = 0.8 * std::pow(r / (r + a), 2);  // Hernquist (1990) eq. 3
    EXPECT_NEAR(profile.enclosed(r) / expected, 1, 1e-5) << r;
    EXPECT_NEAR(profile.radius_of(expected / 0.8) / r, 1, 1e-5 * (1 + r / a)) << r;
    EXPECT_NEAR(profile.density(r) / (0.8 * a / (2 * std::numbers::pi * r * std::pow(r + a, 3))), 1, 1e-5) << r;
  }
  EXPECT_EQ(profile.enclosed(7 * far), 0.8);
}

TEST(SphericalProfile, NfwEndsSmoothly) {
  const double cut = 20;
  const SphericalProfile profile({a, 2, cut}, 1, logarithmic_radii(1e-5, 6 * cut, 60));
  const auto mass = [&](double from, double to) {
    return integrate([&](double r) { return 4 * std::numbers::pi * r * r * profile.density(r); }, from, to, 1e-9);
  };
  EXPECT_NEAR(mass(0, 6 * cut), 1, 1e-8);
  for (const double r : {0.1, 3.0, 20.0, 60.0}) {
    EXPECT_NEAR(profile.enclosed(r) / mass(0, r), 1, 1e-7) << r;
    const double step = 1e-4, up = r * std::exp(step), down = r * std::exp(-step);
    EXPECT_NEAR(profile.slope(r), std::log(profile.density(up) / profile.density(down)) / (2 * step), 1e-6) << r;
    EXPECT_NEAR(profile.slope_change(r), (profile.slope(up) - profile.slope(down)) / (2 * step), 1e-6) << r;
  }
  // Well within the cut: Navarro, Frenk & White (1996) eq. 3 between two radii.
  EXPECT_NEAR(profile.density(0.3) / profile.density(0.03), 0.1 * std::pow(1.01 / 1.1, 2), 3e-5);
}

TEST(SphericalProfile, EveryFractionHasItsRadius) {
  const SphericalProfile profile({a, 2, 20}, 1, logarithmic_radii(1e-5, 120, 60));
  for (const double fraction : {1e-15, 1e-9, 0.01, 0.5, 0.99, 1 - 1e-9}) {
    const double r = profile.radius_of(fraction);
    EXPECT_NEAR(profile.enclosed(r) / fraction, 1, 1e-8) << fraction;
    EXPECT_LT(r, 120);
  }
  EXPECT_LE(profile.radius_of(1 - 0x1p-53), 120);
}

TEST(GalaxyPotential, IsHernquistsForAHaloAlone) {
  const GalaxyPotential potential(halo_alone());
  for (const double r : {1e-4, 0.1, 3.0, 100.0, 3000.0}) {
    EXPECT_NEAR(potential.depth(r) * (r + a), 1, 1e-5) << r;  // Hernquist (1990) eq. 5
    EXPECT_NEAR(potential.climb(r) / (r / (a * (r + a))), 1, 1e-5) << r;
  }
}

TEST(GalaxyPotential, AddsUpItsComponents) {
  const GalaxyOptions galaxy;
  const GalaxyPotential potential(galaxy);
  EXPECT_NEAR(potential.enclosed(1e4), 1, 1e-12);
  EXPECT_NEAR(potential.spheroid_mass(1e4), 0.96, 1e-12);
  for (const double r : {0.01, 0.5, 2.0, 30.0}) {
    const double step = 1e-3, up = r * std::exp(step), down = r * std::exp(-step);
    EXPECT_NEAR((potential.depth(down) - potential.depth(up)) / (2 * step) / (potential.enclosed(r) / r), 1, 1e-5) << r;
    EXPECT_NEAR((potential.enclosed(up) - potential.enclosed(down)) / (2 * step) /
                    (4 * std::numbers::pi * r * r * r * potential.density(r)),
                1, 1e-5)
        << r;
  }
}

TEST(DistributionFunction, IsHernquistsForAHaloAlone) {
  const GalaxyPotential potential(halo_alone());
  const DistributionFunction f(potential.spheroids()[0], potential);
  for (const double r : {1e-4, 0.01, 0.5, 3.0, 30.0, 1000.0}) {
    EXPECT_NEAR(f(potential.climb(r), potential.depth(r)) / hernquist_f(1 / (r + a)), 1, 3e-4) << r;
  }
}

TEST(DistributionFunction, GivesBackTheDensityOfEachComponent) {
  for (const HaloProfile profile : {HaloProfile::hernquist, HaloProfile::nfw}) {
    GalaxyOptions galaxy;
    galaxy.halo_profile = profile;
    const GalaxyPotential potential(galaxy);
    for (const SphericalProfile& spheroid : potential.spheroids()) {
      const DistributionFunction f(spheroid, potential);
      for (const double r : {0.003, 0.1, 1.0, 10.0, 60.0, 150.0}) {
        const double depth = potential.depth(r), climb = potential.climb(r);
        const double density =
            integrate([&](double v) { return 4 * std::numbers::pi * v * v * f(climb + v * v / 2, depth - v * v / 2); },
                      0, std::sqrt(2 * depth), 1e-6);
        EXPECT_NEAR(density / spheroid.density(r), 1, 1e-4) << r;
      }
    }
  }
}

TEST(DistributionFunction, HasNothingUnbound) {
  const GalaxyPotential potential{GalaxyOptions{}};
  const DistributionFunction f(potential.spheroids()[0], potential);
  EXPECT_EQ(f(1, 0), 0);
  EXPECT_EQ(f(1, -0.1), 0);
}

}  // namespace
}  // namespace multiwalk
