// SPDX-License-Identifier: GPL-3.0-or-later
// Expansion against closed forms and independently computed check values.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/base/error.hpp"
#include "host/cosmology/expansion.hpp"

namespace multiwalk {
namespace {

CosmologyParameters flat(double omega_m) {
  CosmologyParameters p;
  p.omega_m = omega_m;
  p.omega_lambda = 1 - omega_m;
  return p;
}

TEST(Expansion, TimesAndLeapfrogFactorsMatchCheckValues) {
  const Expansion expansion(flat(0.32), std::sqrt(8 * std::numbers::pi / 3));
  EXPECT_NEAR(expansion.time(1), 0.32710340943409555, 1e-12);
  const double a0 = expansion.advance(0.5, 0.1 - expansion.time(0.5));
  EXPECT_NEAR(expansion.time(a0), 0.1, 1e-12);
  const double a1 = expansion.advance(a0, 0.01);
  EXPECT_NEAR(expansion.drift_factor(a0, a1) / 0.0591200223890204, 1, 1e-11);
  EXPECT_NEAR(expansion.kick_factor(a0, a1) / 0.0243101296418625, 1, 1e-11);
}

TEST(Curvature, IsWhatTheDensitiesLeave) {
  CosmologyParameters p;
  EXPECT_NEAR(curvature(p), 0, 1e-15);
  p.radiation = true;
  EXPECT_NEAR(curvature(p), -9.1e-5, 1e-6);  // 4.18e-5 / h^2
  EXPECT_TRUE(is_flat(p));
  require_flat(p, "these are");
  p.omega_lambda = 0.6;
  EXPECT_NEAR(curvature(p), 0.0888, 1e-4);
  EXPECT_FALSE(is_flat(p));
  EXPECT_THROW(require_flat(p, "these are"), InputError);
}

TEST(Expansion, EinsteinDeSitterIsAnalytic) {
  const Expansion expansion(flat(1), 2);
  EXPECT_NEAR(expansion.time(0.25), 2.0 / 3.0 / 2.0 * 0.125, 1e-13);
  EXPECT_NEAR(expansion.kick_factor(0.25, 1), 2 * (1 - 0.5) / 2, 1e-12);
  EXPECT_NEAR(expansion.drift_factor(0.25, 1), 2 * (2 - 1.0) / 2, 1e-12);
  EXPECT_NEAR(expansion.drift_factor(1, 0.25), -1, 1e-12);
  EXPECT_EQ(expansion.kick_factor(0.3, 0.3), 0);
}

TEST(Expansion, ShortStepsKeepTheirRelativePrecision) {
  const Expansion expansion(flat(0.3));
  const double a = 0.5;
  const double dt = 1e-9 / expansion.hubble(a);
  const double next = expansion.advance(a, dt);
  EXPECT_NEAR(expansion.drift_factor(a, next) / (dt / (a * a)), 1, 1e-6);
  EXPECT_NEAR(expansion.kick_factor(a, next) / (dt / a), 1, 1e-6);
}

TEST(Expansion, AdvanceInvertsTimeForwardsAndBackwards) {
  CosmologyParameters p = flat(0.3);
  p.w0 = -0.9;
  p.wa = 0.2;
  p.omega_lambda = 0.65;
  const Expansion expansion(p);
  for (const double a0 : {0.01, 0.2, 1.0}) {
    for (const double a1 : {0.005, 0.0999, 0.2000001, 0.9}) {
      const double dt = expansion.time(a1) - expansion.time(a0);
      EXPECT_NEAR(expansion.advance(a0, dt) / a1, 1, 1e-9) << a0 << " to " << a1;
    }
  }
}

TEST(Expansion, LogarithmicDerivativeMatchesDifference) {
  CosmologyParameters p = flat(0.3);
  p.omega_lambda = 0.6;
  p.w0 = -0.8;
  p.wa = 0.3;
  p.radiation = true;
  const Expansion expansion(p);
  for (const double a : {1e-4, 0.1, 0.7, 1.0}) {
    const double h = 1e-5;
    const double difference = std::log(expansion.efunc(a * std::exp(h)) / expansion.efunc(a * std::exp(-h))) / (2 * h);
    EXPECT_NEAR(expansion.dlnefunc_dlna(a), difference, 1e-8);
  }
}

TEST(Expansion, RadiationDensityIsPhotonsAndNeutrinos) {
  CosmologyParameters p = flat(0.3);
  p.radiation = true;
  const double h2 = p.h * p.h;
  EXPECT_NEAR(Expansion(p).omega_r() * h2, 4.1837e-5, 2e-8);  // 2.4728e-5 (1 + 0.2271 x 3.046)
  EXPECT_DOUBLE_EQ(Expansion(p).efunc(1), 1);
  p.radiation = false;
  EXPECT_EQ(Expansion(p).omega_r(), 0);
}

TEST(Expansion, RefusesUniversesWithoutBigBang) {
  CosmologyParameters p;
  p.omega_m = 0.1;
  p.omega_lambda = 3;
  EXPECT_THROW(Expansion{p}, InputError);
  p.omega_m = -0.1;
  EXPECT_THROW(Expansion{p}, InputError);
}

}  // namespace
}  // namespace multiwalk
