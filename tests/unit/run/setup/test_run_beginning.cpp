// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "decomposition/ranks/agree.hpp"
#include "run/files/atomic_file.hpp"
#include "run/setup/run_setup.hpp"
#include "run/snapshots/checkpoint.hpp"
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

}  // namespace
}  // namespace multiwalk
