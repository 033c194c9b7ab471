// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analysis/sky/light_path.hpp"
#include "analysis/sky/sky_spectrum.hpp"
#include "tests/support/sky/harmonics.hpp"

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

constexpr double wide_near = 1000, wide_far = 1200;

Projection wide_shell() {
  return {wide_near, wide_far, [](double chi, double) { return chi; }};
}

/// Weighted by chi.
double mean_distance() {
  return 2.0 / 3 * (std::pow(wide_far, 3) - std::pow(wide_near, 3)) / (std::pow(wide_far, 2) - std::pow(wide_near, 2));
}

/// With waves k along and q across the line of sight, P = (q^2 + k^2)^2 has 2 q^2 times the power beyond Limber's that
/// q^2 + k^2 has, and more that does not depend on q = (l + 1/2) / distance.
TEST(BeyondLimber, HasWavesAcrossOfLimbersLength) {
  const BeyondLimber beyond(Expansion(CosmologyParameters{}), wide_shell());
  const double square = beyond([](double k, double) { return k * k; }, 0);
  const auto fourth = [&](double l) { return beyond([](double k, double) { return std::pow(k, 4); }, l); };
  for (const double l : {1.0, 3.0}) {
    const double across = (std::pow(l + 0.5, 2) - 0.25) / std::pow(mean_distance(), 2);
    EXPECT_NEAR((fourth(l) - fourth(0)) / (2 * across * square), 1, 1e-6) << l;
  }
}

TEST(BeyondLimber, HasThePowerOfTheMiddleOfAShell) {
  const Expansion expansion(CosmologyParameters{});
  const BeyondLimber beyond(expansion, wide_shell());
  const auto of_power = [](double exponent) {
    return [exponent](double k, double a) { return std::pow(a, exponent) * std::exp(-25 * k * k); };
  };
  const double a = departure(expansion, mean_distance());
  EXPECT_NEAR(beyond(of_power(3), 100) / beyond(of_power(0), 100), std::pow(a, 3), 1e-6);
}

/// The limit of ever smaller parts of a pixel, whose error falls to a quarter each time.
TEST(PixelWindow, IsThatOfMeansOverPixels) {
  constexpr std::uint32_t nside = 16, lmax = 32;
  const auto coarse = test::pixel_windows(nside, lmax, 2), fine = test::pixel_windows(nside, lmax, 3);
  for (std::uint32_t l = 0; l <= lmax; ++l) {
    const double window = (4 * fine[l] - coarse[l]) / 3;
    EXPECT_NEAR(pixel_window_squared(l, nside), window, 1e-3 * window) << l;
    EXPECT_NEAR(1 - pixel_window_squared(l, nside), 1 - window, 4e-3 * (1 - window) + 1e-9) << l;
  }
}

}  // namespace
}  // namespace multiwalk
