// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>

#include "decomposition/ranks/agree.hpp"
#include "host/base/units.hpp"
#include "run/evolve/starting_system.hpp"
#include "run/files/atomic_file.hpp"
#include "run/setup/run_identity.hpp"
#include "run/setup/run_setup.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

using test::TemporaryDirectory;

constexpr const char* asked = R"(
[run]
directory = "run"
[model]
kind = "plummer"
particles = 100
[force]
softening = 0.05
[time]
t_end = 1
)";

/// A directory with the parameters of `asked` and a checkpoint of step 9 with others.
void leave_checkpoint(const TemporaryDirectory& directory, const std::vector<std::string>& settings,
                      const std::string& state, const std::string& run_id = "", const std::string& its_run_id = "") {
  write_file_atomically(directory / "parameters.toml", with_run_id(run_id, to_toml(parse_parameters(asked, "test"))));
  Checkpoint checkpoint;
  checkpoint.parameters = with_run_id(its_run_id, to_toml(parse_parameters(asked, "test", settings)));
  checkpoint.state = state;
  checkpoint.step = 9;
  checkpoint.system.particles.resize(100);
  write_checkpoint(directory.path(), checkpoint);
}

std::string refusal(const TemporaryDirectory& directory) {
  RunRequest request;
  request.restart = directory.path();
  try {
    set_up_run(request, {});
    return "";
  } catch (const SharedError& error) {
    return error.what();
  }
}

TEST(RunSetup, GoesOnFromItsOwnCheckpoint) {
  const TemporaryDirectory directory;
  leave_checkpoint(directory, {"force.theta=0.4"}, R"({"first_time": 0})");  // the force may change at a restart
  EXPECT_EQ(refusal(directory), "");
}

TEST(RunSetup, EveryRunHasANumberOfItsOwn) {
  const std::string one = new_run_id();
  EXPECT_EQ(one.size(), 16U);
  EXPECT_NE(one, new_run_id());
  EXPECT_EQ(run_id_of(with_run_id(one, "[run]\n")), one);
  EXPECT_EQ(with_run_id("", "[run]\n"), "[run]\n");
  for (const char* text : {"", "[run]\n", "# run\n", "# run 0123\n", "# run 0123456789abcdef"}) {
    EXPECT_EQ(run_id_of(text), "") << text;
  }
}

TEST(RunSetup, CheckpointsOfRunsOfTheSameModelAreToldApart) {
  const std::string one = "0123456789abcdef", other = "fedcba9876543210", state = R"({"first_time": 0})";
  const std::string none;
  for (const auto& [own, its, refused] : {std::tuple{one, one, false}, std::tuple{one, other, true},
                                          std::tuple{one, none, false}, std::tuple{none, other, false}}) {
    const TemporaryDirectory directory;
    leave_checkpoint(directory, {}, state, own, its);
    EXPECT_EQ(refusal(directory).find("belongs to another run") != std::string::npos, refused) << own << its;
  }
}

/// It is kept at a restart, and taken from the checkpoint where parameters.toml is gone.
TEST(RunSetup, ARunKeepsItsNumber) {
  const std::string one = "0123456789abcdef";
  for (const bool gone : {false, true}) {
    const TemporaryDirectory directory;
    leave_checkpoint(directory, {}, R"({"first_time": 0})", one, one);
    if (gone) std::filesystem::remove(directory / "parameters.toml");
    EXPECT_EQ(refusal(directory), "");
    EXPECT_EQ(run_id_of(read_whole_file(directory / "parameters.toml")), one);
  }
}

TEST(RunSetup, SettingsAreComparedWithWhatTheRunWasAskedFor) {
  const TemporaryDirectory directory;
  leave_checkpoint(directory, {"force.theta=0.4", "time.eta=0.05"}, R"({"first_time": 0})");
  RunRequest request;
  request.restart = directory.path();
  request.settings = {"force.theta=0.3"};
  const std::string warning = set_up_run(request, {}).warning;
  EXPECT_NE(warning.find("changed since the checkpoint: force.theta from 0.4 to 0.3;"), std::string::npos) << warning;
  EXPECT_NE(warning.find("other settings than parameters.toml has: "), std::string::npos) << warning;
  EXPECT_NE(warning.find("time.eta from 0.025 to 0.05"), std::string::npos) << warning;
}

TEST(RunSetup, MassesOfAFileAreJudged) {
  const TemporaryDirectory directory;
  ParticleSystem system = test::random_system(1000, true, Boundary::periodic);
  const CosmologyParameters cosmology;
  const double mean = cosmology.omega_m * units::critical_density * std::pow(system.box_size, 3) / 1000;
  for (float& m : system.particles.mass) m = static_cast<float>(1.1 * mean);
  RunRequest request;
  request.parameter_file = directory / "file.toml";
  write_file_atomically(request.parameter_file, "");
  request.settings = {"model.kind=file",
                      "model.file=" + write_snapshot(directory / "heavy", system, cosmology, {}).front(),
                      "run.directory=" + directory / "run"};
  try {
    set_up_run(request, {});
    ADD_FAILURE() << "a box of 1.1 times its mass begins";
  } catch (const SharedError& error) {
    EXPECT_NE(std::string(error.what()).find("heavy.hdf5: its particles have 1.1 times"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "run"));
  request.settings.emplace_back("model.allow_mass_mismatch=true");
  const std::string warning = set_up_run(request, {}).warning;
  EXPECT_NE(warning.find("heavy.hdf5: its particles have 1.1 times"), std::string::npos) << warning;
}

TEST(StartingSystem, IsJudgedAsARunJudgesIt) {
  const TemporaryDirectory directory;
  ParticleSystem system = test::random_system(1000, true, Boundary::periodic);
  CosmologyParameters cosmology;
  cosmology.omega_m = 0.25;
  const double mean = cosmology.omega_m * units::critical_density * std::pow(system.box_size, 3) / 1000;
  Parameters parameters;
  parameters.model.kind = ModelKind::file;
  for (const double factor : {1.0, 1.1}) {
    for (float& m : system.particles.mass) m = static_cast<float>(factor * mean);
    parameters.model.file = write_snapshot(directory / "s", system, cosmology, {}).front();
    if (factor > 1) {
      EXPECT_THROW(static_cast<void>(starting_system(parameters)), SharedError);
    }
    parameters.model.allow_mass_mismatch = factor > 1;
    EXPECT_EQ(starting_system(parameters).particles.size(), 1000U);
  }
  EXPECT_EQ(parameters.cosmology.omega_m, 0.25);  // the file's
}

TEST(RunSetup, CheckpointsOfOtherRunsAreRefused) {
  for (const std::string other : {"model.seed=77", "model.particles=200", "cosmology.omega_m=0.2"}) {
    const TemporaryDirectory directory;
    leave_checkpoint(directory, {other}, R"({"first_time": 0})");
    EXPECT_NE(refusal(directory).find("step 9) belongs to another run"), std::string::npos) << refusal(directory);
  }
}

TEST(RunSetup, DamagedStatesAreSaidInPlainWords) {
  for (const std::string state : {"{\"first_time\": 0", "{}", "[]", R"({"first_time": "early"})"}) {
    const TemporaryDirectory directory;
    leave_checkpoint(directory, {}, state);
    EXPECT_NE(refusal(directory).find("damaged or of another version"), std::string::npos) << refusal(directory);
    EXPECT_EQ(refusal(directory).find("json"), std::string::npos) << refusal(directory);
  }
}

Parameters begun(const std::string& sections) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "p.toml", "[run]\ndirectory = '" + (directory / "run") + "'\n" + sections);
  RunRequest request;
  request.parameter_file = directory / "p.toml";
  return set_up_run(request, {}).parameters;
}

/// 512^3 in a box from z = 49 to 0: 2 ln(50)/0.03 = 261 evaluations and outputs at two times; on the host Ewald sums of
/// 0.006 x 261 x 2500 / (2 x 130) = 15 particles, and the most epochs, each of which is a fourth of an evaluation.
TEST(RunSetup, SettlesWhatARunMeasuresOfItself) {
  const std::string box =
      "backend = 'cpu'\n[model]\nkind = 'box'\nbox_size = 500\n[ic]\ngrid = 256\nz_start = 49\n[output]\nredshifts = "
      "[3, "
      "0]\n";
  const Parameters open = begun(box);
  EXPECT_EQ(open.output.error_sample, 15U);
  EXPECT_EQ(open.output.census_epochs, 4U);
  const Parameters given = begun(box + "error_sample = 50\ncensus_epochs = 3\n");
  EXPECT_EQ(given.output.error_sample, 50U);
  EXPECT_EQ(given.output.final_error_sample, 50U);
  EXPECT_EQ(given.output.census_epochs, 3U);
  EXPECT_EQ(begun(box + "final_error_sample = 7\n").output.final_error_sample, 7U);
  const Parameters brief = begun(box + "[time]\nmax_steps = 10\n");
  EXPECT_EQ(brief.output.error_sample, 0U);
  EXPECT_EQ(brief.output.census_epochs, 0U);
}

}  // namespace
}  // namespace multiwalk
