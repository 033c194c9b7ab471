// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "decomposition/agree.hpp"
#include "run/atomic_file.hpp"
#include "run/checkpoint.hpp"
#include "run/run_beginning.hpp"
#include "tests/support/temporary_directory.hpp"

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
                      const std::string& state) {
  write_file_atomically(directory / "parameters.toml", to_toml(parse_parameters(asked, "test")));
  Checkpoint checkpoint;
  checkpoint.parameters = to_toml(parse_parameters(asked, "test", settings));
  checkpoint.state = state;
  checkpoint.step = 9;
  checkpoint.system.particles.resize(100);
  write_checkpoint(directory.path(), checkpoint);
}

std::string refusal(const TemporaryDirectory& directory) {
  RunRequest request;
  request.restart = directory.path();
  try {
    begin_run(request, {});
    return "";
  } catch (const SharedError& error) {
    return error.what();
  }
}

TEST(RunBeginning, GoesOnFromItsOwnCheckpoint) {
  const TemporaryDirectory directory;
  leave_checkpoint(directory, {"force.theta=0.4"}, R"({"first_time": 0})");  // the force may change at a restart
  EXPECT_EQ(refusal(directory), "");
}

TEST(RunBeginning, CheckpointsOfOtherRunsAreRefused) {
  for (const std::string other : {"model.seed=77", "model.particles=200", "cosmology.omega_m=0.2"}) {
    const TemporaryDirectory directory;
    leave_checkpoint(directory, {other}, R"({"first_time": 0})");
    EXPECT_NE(refusal(directory).find("step 9) belongs to another run"), std::string::npos) << refusal(directory);
  }
}

TEST(RunBeginning, DamagedStatesAreSaidInPlainWords) {
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
  return begin_run(request, {}).parameters;
}

/// 512^3 in a box from z = 49 to 0: 2 ln(50)/0.03 = 261 evaluations and outputs at two times; on the host Ewald sums of
/// 0.006 x 261 x 2500 / (2 x 130) = 15 particles, and the most epochs, each of which is a fourth of an evaluation.
TEST(RunBeginning, SettlesWhatARunMeasuresOfItself) {
  const std::string box =
      "backend = 'cpu'\n[model]\nkind = 'box'\nbox_size = 500\n[ic]\ngrid = 512\nz_start = 49\n[output]\nredshifts = "
      "[3, "
      "0]\n";
  const Parameters open = begun(box);
  EXPECT_EQ(open.output.error_sample, 15U);
  EXPECT_EQ(open.output.census_epochs, 4U);
  const Parameters given = begun(box + "error_sample = 50\ncensus_epochs = 3\n");
  EXPECT_EQ(given.output.error_sample, 50U);
  EXPECT_EQ(given.output.census_epochs, 3U);
  const Parameters brief = begun(box + "[time]\nmax_steps = 10\n");
  EXPECT_EQ(brief.output.error_sample, 0U);
  EXPECT_EQ(brief.output.census_epochs, 0U);
}

}  // namespace
}  // namespace multiwalk
