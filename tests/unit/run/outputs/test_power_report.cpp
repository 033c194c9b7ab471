// SPDX-License-Identifier: GPL-3.0-or-later
// The output of `multiwalk power`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/base/error.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/power/linear_power.hpp"
#include "run/outputs/power_report.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {
namespace {

SnapshotInfo box_at(double a) {
  SnapshotInfo info;
  info.system.boundary = Boundary::periodic;
  info.system.box_size = 100;
  info.system.time = a;
  return info;
}

PowerSpectrum spectrum_of(double box) {
  PowerSpectrum spectrum{1000, 16, std::acos(-1.0) * 16 / box, 7.5, {}};
  for (std::uint32_t shell = 1; shell <= 7; ++shell) {
    spectrum.bins.push_back({0, shell, 2 * std::acos(-1.0) / box * shell, 100.0 / shell, 3, 18});
  }
  return spectrum;
}

TEST(PowerReport, LinearTheoryIsThatOfTheEpochOverEachBinsWaves) {
  const SnapshotInfo info = box_at(0.25);
  PowerSpectrum spectrum = spectrum_of(100);
  spectrum.bins.push_back({0, 30, 2 * std::acos(-1.0) / 100 * 30, 1, 1, 11000});
  const nlohmann::json power = power_json({"s.hdf5", info.system, info.cosmology, ""}, {}, spectrum);
  EXPECT_NEAR(power.at("redshift").get<double>(), 3, 1e-12);
  EXPECT_EQ(power.at("assignment"), "pcs");
  const Growth growth{Expansion(info.cosmology)};
  const double ratio = growth.factor(0.25) / growth.factor(1);
  const LinearPower linear = LinearPower::eisenstein_hu(info.cosmology);
  const double width = 2 * std::acos(-1.0) / 100;
  double sum[8] = {}, modes[8] = {};
  for (int x = -7; x <= 7; ++x) {
    for (int y = -7; y <= 7; ++y) {
      for (int z = -7; z <= 7; ++z) {
        const double n = std::sqrt(x * x + y * y + z * z);
        const long shell = std::lround(n);
        if (shell == 0 || shell > 7) continue;
        sum[shell] += ratio * ratio * linear(n * width);
        modes[shell] += 1;
      }
    }
  }
  const auto& bins = power.at("bins");
  ASSERT_EQ(bins.size(), 8U);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(bins[i].at("linear").get<double>() / (sum[i + 1] / modes[i + 1]), 1, 1e-12) << i;
  }
  EXPECT_NEAR(bins[7].at("linear").get<double>() / (ratio * ratio * linear(30 * width)), 1, 0.005);
}

/// Once folded, the waves of a shell are twice as far apart.
TEST(PowerReport, LinearTheoryOfAFoldIsThatOfItsWaves) {
  const SnapshotInfo info = box_at(1);
  PowerSpectrum spectrum = spectrum_of(100);
  const double width = 4 * std::acos(-1.0) / 100;
  spectrum.bins.push_back({1, 3, 3 * width, 1, 1, 98});
  const nlohmann::json power = power_json({"s.hdf5", info.system, info.cosmology, ""}, {}, spectrum);
  const LinearPower linear = LinearPower::eisenstein_hu(info.cosmology);
  double sum = 0, modes = 0;
  for (int x = -3; x <= 3; ++x) {
    for (int y = -3; y <= 3; ++y) {
      for (int z = -3; z <= 3; ++z) {
        const double n = std::sqrt(x * x + y * y + z * z);
        if (std::lround(n) != 3) continue;
        sum += linear(n * width);
        modes += 1;
      }
    }
  }
  const nlohmann::json& last = power.at("bins").back();
  ASSERT_EQ(last.at("fold"), 1);
  EXPECT_NEAR(last.at("linear").get<double>() / (sum / modes), 1, 1e-12);
}

TEST(PowerReport, SystemsThatAreNotComovingHaveNoLinearTheory) {
  SnapshotInfo info = box_at(0.25);
  info.system.frame = Frame::newtonian;
  const nlohmann::json power = power_json({"s.hdf5", info.system, info.cosmology, ""}, {}, spectrum_of(100));
  EXPECT_TRUE(power.at("redshift").is_null());
  EXPECT_TRUE(power.at("bins").at(0).at("linear").is_null());
  EXPECT_NE(power_csv(power).find(",7.5,0,\n"), std::string::npos);
}

TEST(PowerReport, TableAndTextHoldTheBins) {
  const SnapshotInfo info = box_at(1);
  const nlohmann::json power = power_json({"a<b.hdf5", info.system, info.cosmology, ""}, {}, spectrum_of(100));
  const std::string csv = power_csv(power), text = power_text(power);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 8);
  EXPECT_EQ(csv.find("k,power,modes,sigma,shot_noise,fold,linear\n"), 0U);
  EXPECT_NE(csv.find(",100,18,3,7.5,0,"), std::string::npos);
  EXPECT_NE(text.find("shot noise 7.5"), std::string::npos);
  EXPECT_NE(text.find("14.29"), std::string::npos);
}

/// Two folds, and numbers that all differ.
TEST(PowerReport, EveryColumnOfATableIsItsOwn) {
  SnapshotInfo info = box_at(0.25);
  info.system.frame = Frame::newtonian;
  PowerSpectrum spectrum{1000, 8, std::acos(-1.0) * 8 / 100, 7.5, {}};
  for (const int fold : {0, 1})
    for (std::uint32_t shell = 1; shell <= 3; ++shell)
      spectrum.bins.push_back(
          {fold, shell, 0.5 * (fold + 1) * shell, 1000.0 / shell + fold, 100.0 / shell + fold, 10 * shell + fold});
  PowerOptions options{.mesh = 8, .assignment = Assignment::tsc, .interlacing = false, .folds = 1};
  options.subtract_shot_noise = true;
  const nlohmann::json power = power_json({"s.hdf5", info.system, info.cosmology, ""}, options, spectrum);
  // The first fold up to half its Nyquist wavenumber, the second from there on.
  EXPECT_EQ(power_csv(power),
            "k,power,modes,sigma,shot_noise,fold,linear\n"
            "0.5,1000,10,100,7.5,0,\n1,500,20,50,7.5,0,\n2,501,21,51,7.5,1,\n3,334.3333333333333,31,34.333333333333336,"
            "7.5,1,\n");
  const std::string text = power_text(power);
  EXPECT_NE(
      text.find("1,000 particles, box 100 Mpc/h, mesh 8^3 tsc, 1 folds\nshot noise 7.5 (Mpc/h)^3, subtracted; Nyquist "
                "wavenumber of the unfolded mesh 0.2513 h/Mpc\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\n         2         501          51                     21    1\n"), std::string::npos) << text;
}

TEST(PowerReport, AssignmentsHaveNames) {
  for (const Assignment a : {Assignment::cic, Assignment::tsc, Assignment::pcs}) {
    EXPECT_EQ(assignment_from(assignment_name(a)), a);
  }
  EXPECT_THROW(assignment_from("ngp"), InputError);
}

}  // namespace
}  // namespace multiwalk
