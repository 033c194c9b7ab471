// SPDX-License-Identifier: GPL-3.0-or-later
// The power spectrum that predictions of the sky take from a run.
#include <gtest/gtest.h>

#include <cmath>

#include "run/sky/run_power.hpp"
#include "tests/support/sky/flat_universe.hpp"
#include "tests/support/sky/sky_run.hpp"

namespace multiwalk {
namespace {

constexpr double power_omega_m = 0.3;

double linear_today(double k) {
  return test::SkyRun::amplitude * std::pow(k, test::SkyRun::slope);
}

RunPower power_of(const test::SkyRun& run) {
  return {run.parameters, {{"outputs", run.outputs}}};
}

TEST(RunPowers, GrowLinearly) {
  const test::SkyRun run(power_omega_m, 1);
  const RunPower power = power_of(run);
  const test::FlatUniverse universe{power_omega_m};
  for (const double a : {0.25, 0.5, 0.8, 1.0}) {
    const double expected = std::pow(universe.growth(a), 2) * linear_today(0.1);
    EXPECT_NEAR(power.linear(0.1, a), expected, 1e-5 * expected) << a;
    EXPECT_EQ(power.measured(0.1, a), power.linear(0.1, a));
  }
  EXPECT_LT(universe.growth(0.5), 0.62);  // 0.5 in a universe of matter alone
  EXPECT_GT(universe.growth(0.5), 0.60);
}

/// Outputs at a = 0.4 and 0.8 with 2 and 5 times the linear power: between them the multiple is linear in ln a.
TEST(RunPowers, AreInterpolatedBetweenOutputs) {
  test::SkyRun run(power_omega_m, 1);
  const test::FlatUniverse universe{power_omega_m};
  run.add_epoch(0.25, universe.growth(0.8), 5, 30);
  run.add_epoch(1.5, universe.growth(0.4), 2, 30);
  const RunPower power = power_of(run);
  EXPECT_EQ(power.epochs(), 2U);
  EXPECT_EQ(power.shot_noise(), 30);
  const auto multiple = [&](double a, double k) { return power.measured(k, a) / power.linear(k, a); };
  EXPECT_NEAR(multiple(0.2, 1), 2, 1e-10);
  EXPECT_NEAR(multiple(0.4, 1), 2, 1e-10);
  EXPECT_NEAR(multiple(0.4 * std::sqrt(2), 1), 3.5, 1e-10);
  EXPECT_NEAR(multiple(0.4 * std::pow(2, 0.25), 1), 2.75, 1e-10);
  EXPECT_NEAR(multiple(0.8, 1), 5, 1e-10);
  EXPECT_NEAR(multiple(1, 1), 5, 1e-10);
  EXPECT_NEAR(multiple(1, 0.99e-3), 1, 1e-10) << "longer waves than the box has are linear";
  EXPECT_EQ(multiple(1, 101), 0) << "shorter waves than were measured";
}

TEST(RunPowers, AreInterpolatedBetweenWavenumbers) {
  test::SkyRun run(power_omega_m, 1);
  const auto bin = [](double k, double ratio) {
    return nlohmann::json{{"k", k}, {"power", ratio * linear_today(k) + 4}, {"linear", linear_today(k)}};
  };
  const auto add = [&](bool subtracted) {
    run.outputs = {{{"z", 0},
                    {"power",
                     {{"shot_noise", 4},
                      {"shot_noise_subtracted", subtracted},
                      {"bins", {bin(0.1, 1), bin(1, 3), bin(0.5, 9), bin(10, 7)}}}}}};  // 0.5 does not rise
  };
  add(false);
  const auto multiple = [&](double k) { return power_of(run).measured(k, 1) / linear_today(k); };
  for (const auto& [k, expected] :
       {std::pair(0.1 * std::sqrt(10), 2.0), std::pair(1.0, 3.0), std::pair(std::pow(10, 0.25), 4.0)}) {
    EXPECT_NEAR(multiple(k), expected, 1e-8) << k;
  }
  add(true);
  EXPECT_NEAR(multiple(1), 3 + 4 / linear_today(1), 1e-8) << "the report's power is already without shot noise";
}

}  // namespace
}  // namespace multiwalk
