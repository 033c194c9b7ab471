// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes found by a run are remembered for the same machine and problem only.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "run/driver/tree_sizes_file.hpp"
#include "run/evolve/simulation.hpp"
#include "run/files/json_input.hpp"
#include "run/setup/run_directory.hpp"
#include "tests/support/models.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using test::TemporaryDirectory;
using test::write_bytes;

TEST(TreeSizesFile, RemembersWhatWasFoundForTheSame) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(read_tree_sizes(directory.path(), "a machine"));
  write_tree_sizes(directory.path(), "a machine", {128, 32});
  EXPECT_EQ(read_tree_sizes(directory.path(), "a machine"), (TreeSizes{128, 32}));
  EXPECT_FALSE(read_tree_sizes(directory.path(), "another"));
}

/// Also with the checksum that the text should have.
TEST(TreeSizesFile, AnythingElseIsRefused) {
  const TemporaryDirectory directory;
  for (const char* text : {"", "{", "[1]", R"({"for": "x", "group": 4, "leaf": 2})"}) {
    write_bytes(directory / "sizes.json", text);
    EXPECT_THROW(read_tree_sizes(directory.path(), "x"), InputError) << text;
  }
  for (const char* text : {R"({"for": "x"})", R"({"for": "x", "group": "many", "leaf": 2})",
                           R"({"for": "x", "group": -4, "leaf": 2})", R"({"for": "x", "group": 4, "leaf": 0})",
                           R"({"for": "x", "group": 4294967296, "leaf": 2})", R"({"group": 4, "leaf": 2})"}) {
    write_bytes(directory / "sizes.json", sealed(nlohmann::json::parse(text)).dump());
    EXPECT_THROW(read_tree_sizes(directory.path(), "x"), InputError) << text;
  }
}

TEST(TreeSizesFile, IsKeptWhenTheRunIsReplaced) {
  const TemporaryDirectory directory;
  write_bytes(directory / "parameters.toml", "");
  write_bytes(directory / "report.json", "{}");
  write_tree_sizes(directory.path(), "x", {64, 8});
  const RunDirectoryLock lock = prepare_run_directory(directory.path(), ExistingRun::overwrite);
  EXPECT_EQ(directory.count(), 1u);
  EXPECT_EQ(read_tree_sizes(directory.path(), "x"), (TreeSizes{64, 8}));
}

ParticleSystem system_of(std::size_t particles) {
  ParticleSystem system;
  system.frame = Frame::newtonian;
  system.particles = test::plummer(particles);
  return system;
}

Parameters short_run() {
  Parameters parameters;
  parameters.softening.softening = 0.01;
  parameters.run.threads = 1;
  return parameters;
}

TEST(SizesOfARun, AreSearchedForOnlyWhereTheyMatter) {
  const auto backend = make_simd_backend();
  Parameters parameters = short_run();
  EXPECT_TRUE(Simulation(parameters, system_of(1000), *backend).sizes_settled());
  EXPECT_FALSE(Simulation(parameters, system_of(100000), *backend).sizes_settled());
  parameters.force.group_size = 77;
  EXPECT_TRUE(Simulation(parameters, system_of(100000), *backend).sizes_settled());
  parameters = short_run();
  parameters.run.deterministic = true;
  EXPECT_TRUE(Simulation(parameters, system_of(100000), *backend).sizes_settled());
  parameters = short_run();
  parameters.force.mac = Mac::bh86;
  EXPECT_TRUE(Simulation(parameters, system_of(100000), *backend).sizes_settled());
}

TEST(SizesOfARun, GoOnAfterARestart) {
  const auto backend = make_simd_backend();
  const Parameters parameters = short_run();
  Simulation first(parameters, system_of(2000), *backend);
  first.take_sizes({128, 32}, true);
  first.start();
  Simulation second(parameters, system_of(2000), *backend), smaller(parameters, system_of(1000), *backend);
  second.restore(first.state());
  EXPECT_EQ(second.sizes(), (TreeSizes{128, 32}));
  EXPECT_TRUE(second.sizes_settled());
  const TreeSizes own = smaller.sizes();
  smaller.restore(first.state());
  EXPECT_EQ(smaller.sizes(), own) << "found for other particles";
  Parameters given = short_run();
  given.force.group_size = 50;
  Simulation third(given, system_of(2000), *backend);
  third.restore(first.state());
  EXPECT_EQ(third.sizes().group, 50U);
}

/// The CPU's back end, made 0.6 s slower for groups of more than 512 particles.
class DislikesLargeGroups final : public ForceBackend {
 public:
  DislikesLargeGroups() : ForceBackend({.name = "dislikes", .description = "for tests", .preferred_group_size = 512}) {}

  bool begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    return cpu_->begin(law, sources, targets, lanes);
  }
  WalkBatch& open(int lane) override { return *(batch_ = &cpu_->open(lane)); }
  void submit(int lane) override {
    large_ |= std::ranges::any_of(batch_->walks, [](const Walk& walk) { return walk.target_count > 512; });
    cpu_->submit(lane);
  }
  BackendTimes collect() override {
    if (large_) std::this_thread::sleep_for(std::chrono::milliseconds(600));
    large_ = false;
    return cpu_->collect();
  }

 private:
  std::unique_ptr<ForceBackend> cpu_ = make_simd_backend();
  WalkBatch* batch_ = nullptr;
  bool large_ = false;
};

/// The first forces allocate memory, the next two are timed with the starting sizes, the fourth with larger groups.
TEST(SizesOfARun, TrialsEndWhenTheyHaveCostTheirShareOfTheRun) {
  for (const bool taken : {false, true}) {
    for (const bool brief : {false, true}) {
      DislikesLargeGroups backend;
      Parameters parameters = short_run();
      parameters.force.mac = Mac::barnes90;
      parameters.force.theta = 1.5;
      parameters.force.multipole = MultipoleOrder::monopole;
      parameters.time.max_dt = 1e-5;
      parameters.time.t_end = 2;  // the system is at 1
      if (brief) parameters.time.max_steps = 4;
      Simulation simulation(parameters, system_of(100000), backend);
      if (taken) simulation.take_sizes({512, 16}, false);
      simulation.start();
      for (int step = 0; step < 2; ++step) simulation.step(simulation.next_time());
      EXPECT_FALSE(simulation.sizes_settled());
      EXPECT_EQ(simulation.seconds_of_trials(), 0);
      simulation.step(simulation.next_time());
      EXPECT_GT(simulation.seconds_of_trials(), 0.02);
      EXPECT_EQ(simulation.sizes_settled(), brief) << "a hundred thousand steps afford it";
      if (brief) {
        EXPECT_EQ(simulation.sizes(), (TreeSizes{512, 16}));
      }
    }
  }
}

}  // namespace
}  // namespace multiwalk
