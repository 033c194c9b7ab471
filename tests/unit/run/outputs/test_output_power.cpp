// SPDX-License-Identifier: GPL-3.0-or-later
// Spectra at outputs: what mesh they take and what a report makes of several.
#include <gtest/gtest.h>

#include <cmath>

#include "run/outputs/power_output.hpp"
#include "run/pages/power_charts.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

TEST(OutputPower, TakesTheMeshOfTheForcesWhereItsOwnIsLarge) {
  EXPECT_EQ(output_power_options(64 * 64 * 64, 64).mesh, 128U);
  EXPECT_EQ(output_power_options(64 * 64 * 64, 0).mesh, 128U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 30, 1024).mesh, 1024U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 24, 384).mesh, 384U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 24, 0).mesh, 256U);
}

/// Bins at 0.03, 0.06, ... h/Mpc of power `level`, linear `linear`, but 1e6 times that beyond 0.1 h/Mpc.
json spectrum(double level, double linear) {
  json bins = json::array();
  for (int i = 1; i <= 6; ++i) {
    const double k = 0.03 * i, factor = k > 0.1 ? 1e6 * level : 1;
    bins.push_back({{"k", k},
                    {"power", factor * level * i},
                    {"sigma", 0.1},
                    {"modes", 6 * i},
                    {"fold", 0},
                    {"linear", factor * linear * i}});
  }
  return {{"bins", bins},
          {"particles", 4096},
          {"box_size", 200},
          {"shot_noise", 3},
          {"shot_noise_subtracted", false},
          {"cosmology", json::object()}};
}

TEST(OutputPower, GrowthIsOfTheLargestWaves) {
  const std::vector<WaveGrowth> growth = wave_growth({spectrum(2, 1), spectrum(8, 5), spectrum(32, 15)});
  ASSERT_EQ(growth.size(), 3U);
  EXPECT_NEAR(growth[0].measured, 1, 1e-14);
  EXPECT_NEAR(growth[1].measured, 4, 1e-13);
  EXPECT_NEAR(growth[2].measured, 16, 1e-13);
  EXPECT_NEAR(growth[2].linear, 15, 1e-13);
}

TEST(OutputPower, SectionHasGrowthFromTheSecondOutputOn) {
  json report{{"comoving", true}, {"steps", json::array()}, {"outputs", json::array()}};
  EXPECT_EQ(power_section(report), "");
  report["outputs"].push_back({{"z", 3.0}, {"power", spectrum(2, 1)}});
  EXPECT_NE(power_section(report).find("Over linear theory"), std::string::npos);
  EXPECT_EQ(power_section(report).find("Growth of the largest"), std::string::npos);
  report["outputs"].push_back({{"z", 0.5}, {"power", nullptr}});
  report["outputs"].push_back({{"z", 0.0}, {"power", spectrum(20, 8)}});
  const std::string section = power_section(report);
  EXPECT_NE(section.find("they have 1.250 of linear theory"), std::string::npos);
  EXPECT_NE(section.find("z = 3.00"), std::string::npos);
  EXPECT_EQ(section.find("z = 0.50"), std::string::npos);
}

}  // namespace
}  // namespace multiwalk
