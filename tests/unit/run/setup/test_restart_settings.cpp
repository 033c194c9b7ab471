// SPDX-License-Identifier: GPL-3.0-or-later
// What a restart says about what it is asked for.
#include <gtest/gtest.h>

#include <filesystem>

#include "decomposition/ranks/agree.hpp"
#include "run/files/atomic_file.hpp"
#include "run/report/report.hpp"
#include "run/setup/restart_settings.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using test::TemporaryDirectory;

constexpr const char* plummer_toml = "[model]\nkind = \"plummer\"\n[force]\nsoftening = 0.05\n[time]\nt_end = 1\n";

TEST(RestartSettings, AllThatDifferAreNamed) {
  const Parameters then = parse_parameters(plummer_toml, "test");
  EXPECT_EQ(changed_settings(then, then, SettingsOf::rest), "");
  const Parameters now = parse_parameters(
      plummer_toml, "test",
      {"time.t_end=2", "output.images=false", "run.threads=3", "run.directory=moved", "force.theta=0.3"});
  const std::string rest = changed_settings(then, now, SettingsOf::rest);
  for (const char* change :
       {"output.images from true to false", R"(run.threads from "auto" to 3)", "force.theta from 0.6 to 0.3"}) {
    EXPECT_NE(rest.find(change), std::string::npos) << rest;
  }
  EXPECT_EQ(rest.find("moved"), std::string::npos);
  EXPECT_EQ(rest.find("time."), std::string::npos);
  EXPECT_EQ(changed_settings(then, now, SettingsOf::end), "time.t_end from 1.0 to 2.0");
}

TEST(RestartSettings, ATableOfPowerIsFoundFromAnotherFolder) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "pk.txt", "");
  Parameters then, now;
  then.ic.transfer_file = directory / "pk.txt";
  now.ic.transfer_file = "elsewhere/pk.txt";
  EXPECT_TRUE(is_same_universe(now, then));
  settle_table(now, then);
  EXPECT_EQ(now.ic.transfer_file, directory / "pk.txt");
  now.ic.transfer_file = "elsewhere/other.txt";
  EXPECT_FALSE(is_same_universe(now, then));
  settle_table(now, then);
  EXPECT_EQ(now.ic.transfer_file, (std::filesystem::current_path() / "elsewhere/other.txt").string());
}

/// A directory with a report and a checkpoint.
void leave_run(const TemporaryDirectory& directory, bool finished) {
  Parameters parameters = parse_parameters(plummer_toml, "test");
  write_file_atomically(directory / "parameters.toml", to_toml(parameters));
  Checkpoint checkpoint;
  checkpoint.system.particles.resize(10);
  write_checkpoint(directory.path(), checkpoint);
  RunRecord record;
  record.comoving = false;
  record.finished = finished;
  record.outputs.push_back(
      {1, 0, {{"snapshots", nlohmann::json::array()}, {"image", ""}, {"halos", nullptr}, {"power", nullptr}}});
  write_report(directory.path(), record, parameters);
}

TEST(RestartSettings, AFinishedRunSaysSo) {
  const TemporaryDirectory directory;
  RunRequest request;
  request.restart = directory.path();
  leave_run(directory, false);  // its last output is there: that is not enough
  EXPECT_EQ(already_finished(request, {}), "");
  leave_run(directory, true);
  const std::string says = directory.path() + " is finished: its report is " + directory / "report.html";
  EXPECT_EQ(already_finished(request, {}), says);
  request.settings = {"time.t_end=0.5", "time.max_steps=0"};
  EXPECT_EQ(already_finished(request, {}), says + "; without effect: time.t_end from 1.0 to 0.5");
  request.settings = {"time.t_end=1.5"};
  EXPECT_EQ(already_finished(request, {}), "");
  request.settings = {"model.seed=7"};  // to be refused
  EXPECT_EQ(already_finished(request, {}), "");
  request = {};
  EXPECT_EQ(already_finished(request, {}), "");
}

}  // namespace
}  // namespace multiwalk
