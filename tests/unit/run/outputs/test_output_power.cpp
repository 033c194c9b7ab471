// SPDX-License-Identifier: GPL-3.0-or-later
// Spectra at outputs: what mesh they take, and where they are measured.
#include <gtest/gtest.h>

#include <cmath>

#include "host/motion/particles.hpp"
#include "ic/models/model.hpp"
#include "run/outputs/power_output.hpp"
#include "tests/support/growing_backend.hpp"
#include "tests/support/keepers/no_keeper.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

TEST(OutputPower, TakesTheMeshOfTheForcesWhereItsOwnIsLarge) {
  EXPECT_EQ(output_power_options(64 * 64 * 64, 64).mesh, 128U);
  EXPECT_EQ(output_power_options(64 * 64 * 64, 0).mesh, 128U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 30, 1024).mesh, 1024U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 24, 384).mesh, 384U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 24, 0).mesh, 256U);
}

/// Has particles whose modes all have the same |delta|^2.
class WhiteKeeper final : public test::NoKeeper {
 public:
  explicit WhiteKeeper(bool able) : able_(able) {}
  [[nodiscard]] bool keeps(const ParticleStore&) const override { return true; }
  std::optional<ShellSums> sum_shells(double box_size, const ShellOptions& options, TreeExchange* /*others*/) override {
    EXPECT_EQ(box_size, 20);
    EXPECT_EQ(options.factor.size(), options.cells / 2 + 1);
    if (!able_) return std::nullopt;
    ShellSums sums{2, 0.5, std::vector<ShellSum>(1)};
    for (std::uint32_t s = 1; s <= options.last_shell(); ++s) sums.shell.push_back({0.25 * s, 7.0 * s * s, s});
    return sums;
  }
  void copy_home(Copied) override { ++came_home; }
  int came_home = 0;

 private:
  bool able_;
};

class PowerWhereKept : public testing::Test {
 protected:
  PowerWhereKept() {
    parameters_.run.directory = directory_.path();
    parameters_.model.kind = ModelKind::box;
    parameters_.model.box_size = 20;
    parameters_.ic.grid = 12;
    system_ = make_model(parameters_.model, parameters_.ic, parameters_.cosmology);
  }
  nlohmann::json power(ParticleKeeper* keeper) {
    const Communicator alone;
    test::GrowingBackend backend;
    backend.keeper = keeper;
    const Particles particles(system_, backend);
    return PowerOutput().write({.comm = alone,
                                .parameters = parameters_,
                                .particles = particles,
                                .entries = {{"snapshots", nlohmann::json::array()}}});
  }

  test::TemporaryDirectory directory_;
  Parameters parameters_;
  ParticleSystem system_;
};

TEST_F(PowerWhereKept, LeavesTheParticlesThere) {
  WhiteKeeper keeper(true);
  const nlohmann::json entry = power(&keeper);
  EXPECT_EQ(keeper.came_home, 0);
  EXPECT_EQ(entry.at("measured_on"), "device");
  EXPECT_EQ(entry.at("particles"), 12 * 12 * 12);
  EXPECT_DOUBLE_EQ(entry.at("shot_noise"), 8000 * 0.5 / 4);
  ASSERT_GT(entry.at("bins").size(), 10U);
  for (const nlohmann::json& bin : entry.at("bins")) {
    EXPECT_DOUBLE_EQ(bin.at("power"), 8000 * 0.25);
    const double modes = bin.at("modes"), fold = bin.at("fold"), shell = modes;
    EXPECT_DOUBLE_EQ(bin.at("k"), 2 * M_PI / 20 * std::exp2(fold) * 7 * shell);
  }
}

TEST_F(PowerWhereKept, BringsThemHomeIfItCannotBeMeasuredThere) {
  WhiteKeeper keeper(false);
  nlohmann::json entry = power(&keeper);
  EXPECT_EQ(keeper.came_home, 1);
  EXPECT_EQ(entry.at("measured_on"), "host");
  EXPECT_EQ(entry, power(nullptr));
}

}  // namespace
}  // namespace multiwalk
