// SPDX-License-Identifier: GPL-3.0-or-later
// Bryan & Norman's fits, and the collapse of a sphere computed independently (scipy's quad and brentq).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analysis/halos/virial_overdensity.hpp"
#include "host/base/error.hpp"

namespace multiwalk {
namespace {

CosmologyParameters virial_universe(double omega_m, double omega_lambda) {
  CosmologyParameters p;
  p.omega_m = omega_m;
  p.omega_lambda = omega_lambda;
  return p;
}

double overdensity(double omega_m, double omega_lambda, double a = 1) {
  return virial_overdensity(Expansion(virial_universe(omega_m, omega_lambda)), a);
}

TEST(VirialOverdensity, FollowsBryanAndNorman) {
  const double sphere = 18 * std::numbers::pi * std::numbers::pi;
  EXPECT_NEAR(overdensity(1, 0), sphere, 1e-9);
  EXPECT_NEAR(overdensity(0.3, 0.7), sphere - 82 * 0.7 - 39 * 0.49, 1e-9);
  EXPECT_NEAR(overdensity(0.3, 0), sphere - 60 * 0.7 - 32 * 0.49, 1e-9);
  const double x = -0.7 * 0.5 / (0.3 + 0.7 * 0.5);  // of an open universe at z = 1
  EXPECT_NEAR(overdensity(0.3, 0, 0.5), sphere + 60 * x - 32 * x * x, 1e-9);
}

TEST(VirialOverdensity, OfOtherCurvedUniversesIsThatOfTheCollapse) {
  EXPECT_NEAR(overdensity(0.3, 0.6), 104.718604, 1e-4);
  EXPECT_NEAR(overdensity(0.3, 0.8), 99.109901, 1e-4);
  EXPECT_NEAR(overdensity(0.3, -0.3), 128.334389, 1e-4);
  EXPECT_NEAR(overdensity(1.2, 0), 191.530650, 1e-4);
  // The fits are good to 1 %, and early all are as in an Einstein-de Sitter universe.
  EXPECT_NEAR(overdensity(0.3, 0.6999) / overdensity(0.3, 0.7), 1, 0.01);
  EXPECT_NEAR(overdensity(0.3, 1e-6) / overdensity(0.3, 0), 1, 0.01);
  EXPECT_NEAR(overdensity(0.3, 0.6, 1e-3) / (18 * std::numbers::pi * std::numbers::pi), 1, 2e-3);
}

TEST(VirialOverdensity, IsNotGuessedForOtherDarkEnergy) {
  CosmologyParameters p = virial_universe(0.3, 0.6);
  p.w0 = -0.9;
  EXPECT_FALSE(has_virial_overdensity(p));
  EXPECT_THROW(virial_overdensity(Expansion(p), 1), InputError);
  p.omega_lambda = 0.7;
  EXPECT_TRUE(has_virial_overdensity(p));
}

}  // namespace
}  // namespace multiwalk
