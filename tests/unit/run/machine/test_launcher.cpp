// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "run/machine/launcher.hpp"
#include "run/machine/patience.hpp"

namespace multiwalk {
namespace {

Launch launch(std::vector<const char*> environment, bool connected = true) {
  environment.push_back("HOME=/root");
  environment.push_back(nullptr);
  return launch_in(environment.data(), [connected](int) { return connected; });
}

void expect(const Launch& found, bool any, int tasks, int task) {
  EXPECT_EQ(found.any, any);
  EXPECT_FALSE(found.broken);
  EXPECT_EQ(found.tasks, tasks);
  EXPECT_EQ(found.task, task);
}

TEST(Launcher, IsFoundInTheVariablesOfEachKind) {
  expect(launch({}), false, 1, 0);
  expect(launch({"PMI_FD=9", "PMI_RANK=1", "PMI_SIZE=2"}), true, 2, 1);
  expect(launch({"PMI_PORT=a:1", "PMI_ID=1"}), true, 1, 0);
  expect(launch({"OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_RANK=3", "PMIX_RANK=3"}), true, 8, 3);
  expect(launch({"SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=6", "SLURM_NTASKS=64"}), true, 6, 5);
  expect(launch({"PALS_RANKID=2", "PMI_SIZE=4"}), true, 4, 2);
  expect(launch({"MV2_COMM_WORLD_SIZE=4", "MV2_COMM_WORLD_RANK=1"}), true, 4, 1);
  expect(launch({"FLUX_JOB_SIZE=4", "FLUX_TASK_RANK=1"}), true, 4, 1);
  expect(launch({"MPI_LOCALRANKID=1"}), true, 1, 0);
}

TEST(Launcher, IsNotFoundInVariablesOfUsersAndBatchJobs) {
  expect(launch({"SLURM_NTASKS=64", "SLURM_JOB_ID=7", "OMPI_MCA_btl=self", "MPI_HOME=/opt", "PMIX=1"}), false, 1, 0);
}

TEST(Launcher, ThatHasGoneIsBroken) {
  EXPECT_TRUE(launch({"PMI_FD=9", "PMI_RANK=1", "PMI_SIZE=2"}, false).broken);
  EXPECT_FALSE(launch({"PMI_RANK=1", "PMI_SIZE=2"}, false).broken);
}

TEST(Launcher, CopiesAreNamedIfThereAreSome) {
  EXPECT_EQ(copies_text(launch({})), "");
  EXPECT_EQ(copies_text(launch({"SLURM_STEP_NUM_TASKS=6"})),
            "6 processes were launched together, and MPI joins none of them to ranks of one job");
}

TEST(Patience, ActsOnlyAfterItsLimit) {
  using namespace std::chrono_literals;
  std::atomic<int> acted = 0;
  {
    const Patience patience(1h, [&] { ++acted; });
  }
  EXPECT_EQ(acted, 0);
  {
    const Patience patience(1ms, [&] { ++acted; });
    for (int wait = 0; wait < 5000 && acted == 0; ++wait) std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(acted, 1);
}

}  // namespace
}  // namespace multiwalk
