// SPDX-License-Identifier: GPL-3.0-or-later
// Bins of a made-up catalogue; fits against reference tables made by an independent code (colossus).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "analysis/halos/mass_function.hpp"
#include "host/base/units.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/power/linear_power.hpp"

namespace multiwalk {
namespace {

TEST(MassFunction, CountsAMadeUpCatalogue) {
  const std::vector<double> masses = {9.99, 10, 20, 30, 31, 32, 99, 1000, 1500};
  const std::vector<MassBin> bins = measure_mass_function(masses, 50, 10, 2);
  ASSERT_EQ(bins.size(), 5U);
  const std::array<std::uint64_t, 5> counts = {4, 2, 0, 0, 2};
  for (std::size_t b = 0; b < 5; ++b) {
    EXPECT_EQ(bins[b].count, counts[b]) << b;
    EXPECT_NEAR(bins[b].low, std::pow(10, 1 + 0.5 * static_cast<double>(b)), 1e-9 * bins[b].low);
    EXPECT_NEAR(bins[b].high, std::pow(10, 1.5 + 0.5 * static_cast<double>(b)), 1e-9 * bins[b].high);
    const double density = static_cast<double>(counts[b]) / (50 * 0.5 * std::numbers::ln10);
    EXPECT_NEAR(bins[b].density, density, 1e-12);
    EXPECT_NEAR(bins[b].error, counts[b] > 0 ? density / std::sqrt(static_cast<double>(counts[b])) : 0, 1e-12);
  }
  EXPECT_DOUBLE_EQ(bins[0].mass, (10 + 20 + 30 + 31) / 4.0);
  EXPECT_NEAR(bins[2].mass, std::pow(10, 2.25), 1e-6);
  EXPECT_TRUE(measure_mass_function(masses, 50, 2000, 2).empty());
  EXPECT_TRUE(measure_mass_function({}, 50, 1, 2).empty());
}

/// reference/hmf_jenkins01_fof.txt: dn/dlog10(M) per Mpc^3 at M = 10^11, 10^11.5, ... 10^15 Msun for z = 0, 0.5, 1.
struct Row {
  double mass, density[3];
};
constexpr Row jenkins[] = {
    {1e11, {3.378122e-02, 3.550712e-02, 3.558916e-02}}, {3.162278e+11, {1.205350e-02, 1.220446e-02, 1.218818e-02}},
    {1e12, {4.191489e-03, 4.194725e-03, 4.131963e-03}}, {3.162278e+12, {1.449790e-03, 1.439956e-03, 1.347080e-03}},
    {1e13, {5.018449e-04, 4.781513e-04, 3.940327e-04}}, {3.162278e+13, {1.693905e-04, 1.421184e-04, 9.071301e-05}},
    {1e14, {5.151631e-05, 3.245206e-05, 1.305123e-05}}, {3.162278e+14, {1.161993e-05, 4.190218e-06, 7.681167e-07}},
    {1e15, {1.295356e-06, 1.721019e-07, 8.736983e-09}}};

TEST(MassFunction, JenkinsFitIsThatOfTheReferenceTable) {
  CosmologyParameters c;
  c.omega_m = 0.3;
  c.omega_lambda = 0.7;
  c.omega_b = 0.05;
  c.h = 0.7;
  c.n_s = 0.96;
  c.sigma8 = 0.8;
  const LinearPower power = LinearPower::eisenstein_hu(c);
  const Growth growth{Expansion(c)};
  const double mean = c.omega_m * units::critical_density;
  for (const Row& row : jenkins) {
    for (int k = 0; k < 3; ++k) {
      const double scale = growth.factor(1 / (1 + 0.5 * k)) / growth.factor(1);
      const auto sigma = [&](double radius) { return scale * power.sigma(radius); };
      const double found = fitted_mass_function(row.mass * c.h / 1e10, mean, sigma, jenkins_multiplicity);
      EXPECT_NEAR(std::numbers::ln10 * found * c.h * c.h * c.h / row.density[k], 1, 6e-3) << row.mass << ' ' << k;
    }
  }
}

TEST(MassFunction, TinkerFitHasItsPublishedNumbers) {
  // Table 2 for 200 times the mean: A 0.186, a 1.47, b 2.57, c 1.19, put into eq. 3 by hand.
  EXPECT_NEAR(tinker_multiplicity(1, 0), 0.186 * (std::pow(2.57, 1.47) + 1) * std::exp(-1.19), 1e-12);
  EXPECT_NEAR(tinker_multiplicity(2, 0), 0.186 * (std::pow(1.285, 1.47) + 1) * std::exp(-0.2975), 1e-12);
  // Eqs. 5 to 8 at redshift 1: alpha = 0.0107.
  const double b = 2.57 * std::pow(2, -0.0107), a = 1.47 * std::pow(2, -0.06), amplitude = 0.186 * std::pow(2, -0.14);
  EXPECT_NEAR(tinker_multiplicity(1, 1) / (amplitude * (std::pow(b, a) + 1) * std::exp(-1.19)), 1, 1e-3);
  EXPECT_EQ(tinker_multiplicity(1, 3), tinker_multiplicity(1, 2.5));
}

}  // namespace
}  // namespace multiwalk
