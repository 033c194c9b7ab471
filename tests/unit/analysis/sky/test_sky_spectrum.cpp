// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analysis/sky/sky_spectrum.hpp"

namespace multiwalk {
namespace {

/// P = exp(-k^2 s^2) has the correlation exp(-r^2 / 4 s^2) / (2 s sqrt(pi)) along the line of sight. Between the
/// borders of a distant shell of depth D its double integral is D - 2 s / sqrt(pi), where Limber has D.
TEST(BeyondLimber, BordersOfAShellCostPower) {
  const Expansion expansion(CosmologyParameters{});
  const double depth = 100, s = 5, near = 2500;
  const Projection shell{near, near + depth, [](double chi, double) { return chi; }};
  const PowerAt power = [&](double k, double) { return std::exp(-k * k * s * s); };
  const double l = 100;
  const double expected = -2 * s / std::sqrt(std::numbers::pi) / depth;
  EXPECT_NEAR(BeyondLimber(expansion, shell)(power, l) / limber(expansion, shell, power, l), expected,
              0.03 * -expected);
}

TEST(BeyondLimber, VanishesWhereAllWavesHaveOnePower) {
  const Expansion expansion(CosmologyParameters{});
  const Projection shell = shell_overdensity(1000, 1200);
  const PowerAt white = [](double, double) { return 7.0; };
  EXPECT_NEAR(BeyondLimber(expansion, shell)(white, 300), 0, 1e-12 * limber(expansion, shell, white, 300));
}

}  // namespace
}  // namespace multiwalk
