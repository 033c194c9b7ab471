// SPDX-License-Identifier: GPL-3.0-or-later
// Growth factors against Heath's integral, the CCL benchmark table and second-order fits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "host/base/error.hpp"
#include "host/cosmology/growth.hpp"

namespace multiwalk {
namespace {

CosmologyParameters universe(double omega_m, double omega_lambda, double w0 = -1, double wa = 0) {
  CosmologyParameters p;
  p.omega_m = omega_m;
  p.omega_lambda = omega_lambda;
  p.w0 = w0;
  p.wa = wa;
  return p;
}

TEST(Growth, MatchesHeathIntegralInFlatLambda) {
  const Growth growth{Expansion(universe(0.3, 0.7))};
  const std::array<std::array<double, 2>, 9> check{{{0, 0.778981017},
                                                    {0.5, 0.602293439},
                                                    {1, 0.476585068},
                                                    {2, 0.328298197},
                                                    {4, 0.199327108},
                                                    {9, 0.0999576223},
                                                    {24, 0.0399989140},
                                                    {49, 0.0199999321},
                                                    {99, 0.00999999576}}};
  for (const auto& [z, d] : check) EXPECT_NEAR(growth.factor(1 / (1 + z)) / d, 1, 2e-9) << z;
}

TEST(Growth, RateMatchesCheckValueAndFactor) {
  const Growth growth{Expansion(universe(0.32, 0.68))};
  EXPECT_NEAR(growth.rate(1), 0.531801369, 1e-8);
  const double h = 1e-3;
  const double slope = std::log(growth.factor(0.5 * std::exp(h)) / growth.factor(0.5 * std::exp(-h))) / (2 * h);
  EXPECT_NEAR(growth.rate(0.5), slope, 1e-6);
}

TEST(Growth, MatchesBenchmarkForDarkEnergyAndCurvature) {
  // CCL benchmarks, models 1 to 5, z = 0 to 5.
  const std::array<CosmologyParameters, 5> model{universe(0.3, 0.7), universe(0.3, 0.7, -0.9),
                                                 universe(0.3, 0.7, -0.9, 0.1), universe(0.3, 0.65, -0.9, 0.1),
                                                 universe(0.3, 0.75, -0.9, 0.1)};
  const std::array<std::array<double, 5>, 6> table{{
      {7.789810e-01, 7.567071e-01, 7.479643e-01, 7.157714e-01, 7.831042e-01},
      {4.765851e-01, 4.687370e-01, 4.645434e-01, 4.480479e-01, 4.823812e-01},
      {3.282982e-01, 3.256412e-01, 3.238049e-01, 3.149879e-01, 3.331885e-01},
      {2.483706e-01, 2.472678e-01, 2.463657e-01, 2.410459e-01, 2.519587e-01},
      {1.993271e-01, 1.987894e-01, 1.982932e-01, 1.947702e-01, 2.019652e-01},
      {1.663410e-01, 1.660466e-01, 1.657487e-01, 1.632542e-01, 1.683326e-01},
  }};
  for (std::size_t m = 0; m < model.size(); ++m) {
    const Growth growth{Expansion(model[m])};
    for (std::size_t z = 0; z < table.size(); ++z) {
      EXPECT_NEAR(growth.factor(1 / (1.0 + static_cast<double>(z))) / table[z][m], 1, 1e-4) << "model " << m + 1;
    }
  }
}

TEST(Growth, SecondOrderIsAnalyticInEinsteinDeSitter) {
  const Growth growth{Expansion(universe(1, 0))};
  for (const double a : {0.01, 0.04, 0.5, 1.0}) {
    EXPECT_NEAR(growth.factor(a), a, 1e-9 * a);
    EXPECT_NEAR(growth.rate(a), 1, 1e-9);
    EXPECT_NEAR(growth.second_factor(a) / (a * a), -3.0 / 7.0, 1e-9);
    EXPECT_NEAR(growth.second_rate(a), 2, 1e-9);
  }
}

using Third = Growth::Third;

TEST(Growth, ThirdOrderIsAnalyticInEinsteinDeSitter) {
  const Growth growth{Expansion(universe(1, 0))};
  for (const double a : {0.01, 0.5, 1.0}) {
    EXPECT_NEAR(growth.third_factor(Third::determinant, a) / (a * a * a), 1.0 / 3, 1e-9);
    EXPECT_NEAR(growth.third_factor(Third::mixed, a) / (a * a * a), -10.0 / 21, 1e-9);
    EXPECT_NEAR(growth.third_factor(Third::transverse, a) / (a * a * a), -1.0 / 7, 1e-9);
    for (const Third term : {Third::determinant, Third::mixed, Third::transverse}) {
      EXPECT_NEAR(growth.third_rate(term, a), 3, 1e-9);
    }
  }
}

TEST(Growth, ThirdOrderSolvesItsEquationsInFlatLambda) {
  const Expansion expansion(universe(0.3, 0.7));
  const Growth growth(expansion);
  const double h = 1e-3;
  for (const double a : {0.3, 0.7, 1.0}) {
    const double source = 1.5 * expansion.omega_m(a), friction = 2 + expansion.dlnefunc_dlna(a);
    const double d1 = growth.factor(a), d2 = growth.second_factor(a), cube = d1 * d1 * d1;
    const auto factor = [&](Third term) { return growth.third_factor(term, a); };
    const double driven[] = {factor(Third::determinant) + 2 * cube, factor(Third::mixed) + 2 * d1 * d2 - 2 * cube,
                             -cube};
    for (const Third term : {Third::determinant, Third::mixed, Third::transverse}) {
      const auto velocity = [&](double at) { return growth.third_rate(term, at) * growth.third_factor(term, at); };
      const double acceleration = (velocity(a * std::exp(h)) - velocity(a * std::exp(-h))) / (2 * h);
      const double expected = source * driven[static_cast<std::size_t>(term)] - friction * velocity(a);
      EXPECT_NEAR(acceleration / expected, 1, 1e-4) << a;
      const double slope =
          std::log(growth.third_factor(term, a * std::exp(h)) / growth.third_factor(term, a * std::exp(-h))) / (2 * h);
      EXPECT_NEAR(growth.third_rate(term, a), slope, 1e-5);
    }
  }
}

TEST(Growth, SecondOrderFollowsFitsInFlatLambda) {
  // Bouchet et al. (1995): D2 = -3/7 D1^2 Omega_m^(-1/143), f2 = 2 Omega_m^(6/11).
  const Expansion expansion(universe(0.3, 0.7));
  const Growth growth(expansion);
  for (const double a : {0.1, 0.3, 0.6, 1.0}) {
    const double d1 = growth.factor(a);
    const double omega = expansion.omega_m(a);
    EXPECT_NEAR(growth.second_factor(a) / (-3.0 / 7.0 * d1 * d1 * std::pow(omega, -1.0 / 143)), 1, 1e-3);
    EXPECT_NEAR(growth.second_rate(a) / (2 * std::pow(omega, 6.0 / 11)), 1, 1e-2);
  }
  const double h = 1e-3;
  const double slope =
      std::log(growth.second_factor(0.5 * std::exp(h)) / growth.second_factor(0.5 * std::exp(-h))) / (2 * h);
  EXPECT_NEAR(growth.second_rate(0.5), slope, 1e-6);
}

TEST(Growth, RadiationSlowsGrowth) {
  // CLASS 3.3, Planck 2018: D(z = 49)/D(0) is 0.02573 with radiation and 0.02549 without.
  CosmologyParameters p = universe(0.30964, 1 - 0.30964);
  const auto ratio = [&p] {
    const Growth growth{Expansion(p)};
    return growth.factor(1.0 / 50) / growth.factor(1);
  };
  EXPECT_NEAR(ratio(), 0.02549, 1e-5);
  p.radiation = true;
  p.omega_lambda = 1 - p.omega_m - Expansion(p).omega_r();
  EXPECT_NEAR(ratio(), 0.02573, 6e-5);
  const Expansion expansion(p);  // Meszaros (1974): D = a + 2 a_eq / 3 before dark energy
  EXPECT_NEAR(Growth(expansion).factor(1e-3) / (1e-3 + 2.0 / 3 * expansion.omega_r() / p.omega_m), 1, 1e-7);
}

TEST(Growth, RefusesWhatIsNotTabulated) {
  const Growth growth{Expansion(CosmologyParameters{})};
  EXPECT_THROW((void)growth.factor(1.5), Error);
  EXPECT_THROW(Growth{Expansion(universe(0.3, 0.7, -0.5, 0.6))}, InputError);
}

}  // namespace
}  // namespace multiwalk
