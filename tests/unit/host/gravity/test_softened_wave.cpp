// SPDX-License-Identifier: GPL-3.0-or-later
// Ewald's division of a softened potential in Fourier space: against the whole potential's transform and that of pairs.
#include <gsl/gsl_sf_bessel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/base/quadrature.hpp"
#include "host/gravity/softened_wave.hpp"

namespace multiwalk {
namespace {

using std::numbers::pi;

/// k^2/4 pi times the transform of erfc(alpha R)/R, and k = 0: the integral over space; in units of alpha.
double transform_of_pairs(double k, double softening) {
  double sum = 0;
  const Quadrature integral(200);
  for (const double from : {0.0, 0.5, 3.0}) {
    sum += integral(from,
                    from == 0     ? 0.5
                    : from == 0.5 ? 3
                                  : 8,
                    [&](double r) {
                      const double R = std::hypot(r, softening);
                      return r * r * std::erfc(R) / R * (k > 0 ? std::sin(k * r) / (k * r) * k * k : 4 * pi);
                    });
  }
  return sum;
}

TEST(SoftenedWave, AndPairsAreTheWholePotential) {
  for (const double softening : {0.03, 0.2, 1.0, 3.0}) {
    for (const double k : {0.01, 0.5, 2.0, 6.0}) {
      const double x = k * k / 4, b = k * softening, whole = b * gsl_sf_bessel_K1(b);
      EXPECT_NEAR(std::exp(-x) * softened_wave(x, b * b) + transform_of_pairs(k, softening), whole, 1e-9)
          << softening << ' ' << k;
    }
    EXPECT_NEAR(softened_pair_volume(1, softening), transform_of_pairs(0, softening), 1e-9) << softening;
  }
}

TEST(SoftenedWave, ReachesItsLimits) {
  for (const double b : {0.01, 0.3, 2.0, 9.0}) EXPECT_NEAR(softened_wave(0, b * b), b * gsl_sf_bessel_K1(b), 3e-13);
  for (const double x : {0.0, 1e-4, 1.0, 30.0}) {
    EXPECT_EQ(softened_wave(x, 0), 1);
    EXPECT_NEAR(softened_wave(x, 1e-30), 1, 3e-13);
  }
  EXPECT_EQ(softened_pair_volume(3, 0), pi / 9);
  EXPECT_EQ(softened_pair_volume(3, 1e3), 0);
}

}  // namespace
}  // namespace multiwalk
