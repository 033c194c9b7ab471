// SPDX-License-Identifier: GPL-3.0-or-later
// What every load must show: the power of its first particles is the input.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "analysis/power/power_spectrum.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/models/model.hpp"
#include "ic/power/linear_power.hpp"

namespace multiwalk {
namespace {

constexpr double box = 100;
constexpr std::uint32_t load_grid = 32;

/// (shells below half the Nyquist wavenumber of load_grid^3) power of the particles at z = 49, as `multiwalk power`
/// measures.
std::vector<double> measured(LoadKind load) {
  ModelOptions model;
  model.kind = ModelKind::box;
  model.box_size = box;
  IcOptions ic;
  ic.grid = load_grid;
  ic.z_start = 49;
  ic.load = load;
  ic.glass_tiles = 2;
  ic.fixed_amplitude = true;
  const ParticleSystem system = make_model(model, ic, {});
  std::vector<double> power(1, 0.0);
  for (const PowerBin& bin : measure_power({system.particles.position, system.particles.mass, box}).bins) {
    if (bin.shell <= load_grid / 4) power.push_back(bin.power);
  }
  return power;
}

/// Mean input of the modes of each shell.
std::vector<double> input() {
  const CosmologyParameters cosmology;
  const Growth growth{Expansion(cosmology)};
  const double linear = std::pow(growth.factor(0.02) / growth.factor(1), 2);
  const LinearPower power = LinearPower::eisenstein_hu(cosmology);
  constexpr int top = load_grid / 4;
  std::vector<double> sum(top + 1, 0.0), modes(top + 1, 0.0);
  for (int x = -top; x <= top; ++x) {
    for (int y = -top; y <= top; ++y) {
      for (int z = -top; z <= top; ++z) {
        const double n = std::sqrt(x * x + y * y + z * z);
        const auto shell = static_cast<std::size_t>(n + 0.5);
        if (shell == 0 || shell > top) continue;
        sum[shell] += linear * power(2 * std::numbers::pi / box * n);
        modes[shell] += 1;
      }
    }
  }
  for (std::size_t shell = 1; shell <= top; ++shell) sum[shell] /= modes[shell];
  return sum;
}

TEST(InitialPower, OfEveryLoadIsTheInputToOnePercent) {
  const std::vector<double> expected = input();
  for (const LoadKind load : {LoadKind::grid, LoadKind::bcc, LoadKind::glass}) {
    const std::vector<double> power = measured(load);
    ASSERT_EQ(power.size(), expected.size());
    for (std::size_t shell = 1; shell < power.size(); ++shell) {
      EXPECT_NEAR(power[shell] / expected[shell], 1, 0.01) << "load " << static_cast<int>(load) << ", shell " << shell;
    }
  }
}

}  // namespace
}  // namespace multiwalk
