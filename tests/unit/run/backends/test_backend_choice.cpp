// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "run/backends/device_advice.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/machine/machine.hpp"

namespace multiwalk {
namespace {

TEST(BackendChoice, AutoLeavesFewPairsToTheCpu) {
  const DirectBackendChoice direct = choose_direct_backend("auto", {}, 1, 5000);
  EXPECT_EQ(direct.backend->name(), "cpu");
  EXPECT_NE(direct.why.find("5e+03 pairs"), std::string::npos) << direct.why;
  EXPECT_TRUE(direct.devices.empty());
  const BackendChoice walks = choose_backend("auto", {}, {.pairs = 5000});
  EXPECT_EQ(walks.backend->name(), "cpu");
  EXPECT_NE(walks.why.find("5e+03 pairs"), std::string::npos) << walks.why;
  EXPECT_EQ(choose_backend("auto", {}, {.pairs = 1e9}).why.find("pairs"), std::string::npos);
}

TEST(BackendChoice, AutoLetsOneDeviceOfOneRankWalk) {
  EXPECT_EQ(host_walks_because(1, 1), "");
  EXPECT_EQ(host_walks_because(2, 1), "there are 2 devices");
  EXPECT_EQ(host_walks_because(1, 4), "there are 4 ranks");
}

/// Here and where there are devices.
TEST(BackendChoice, AutoSaysWhoWalks) {
  const BackendChoice choice = choose_backend("auto", {});
  EXPECT_EQ(choice.devices.size(), working_devices().empty() ? 0U : 1U);
  if (choice.devices.empty()) {
    EXPECT_EQ(choice.backend->name(), "cpu");
    EXPECT_EQ(choice.why.find("walks"), std::string::npos) << choice.why;
    return;
  }
  EXPECT_EQ(choice.backend->name(), "cuda-resident");
  EXPECT_NE(choice.why.find("makes the walks"), std::string::npos) << choice.why;
}

std::string advice(DeviceUse::Forces forces, int ranks, int used, int visible) {
  return device_advice({forces, ranks, used, visible});
}

TEST(DeviceAdvice, SaysWhatIsFastestOnAHostWithMoreGpusThanRanks) {
  using Forces = DeviceUse::Forces;
  EXPECT_EQ(
      advice(Forces::box, 1, 1, 4),
      "one of this host's 4 GPUs is used, which is the fastest way for this run: run.devices = [1] gives the next "
      "one to another run");
  EXPECT_EQ(advice(Forces::vacuum, 1, 1, 4),
            "one of this host's 4 GPUs is used; `mpiexec -n 4 multiwalk ...` with run.backend = \"cuda-resident\" uses "
            "all and is faster for many particles");
  EXPECT_NE(advice(Forces::direct, 1, 1, 2).find("mpiexec -n 2"), std::string::npos);
  EXPECT_EQ(advice(Forces::vacuum_block_steps, 1, 1, 4).find("mpiexec"), std::string::npos);
  EXPECT_NE(advice(Forces::vacuum, 2, 2, 4).find("2 ranks use 2 of this host's 4 GPUs"), std::string::npos);
}

TEST(DeviceAdvice, WarnsOfSlowWaysAndIsSilentOtherwise) {
  using Forces = DeviceUse::Forces;
  EXPECT_NE(advice(Forces::box, 4, 4, 4).find("20 times slower"), std::string::npos);
  EXPECT_NE(advice(Forces::box, 1, 4, 4).find("slower than one GPU: leave it out"), std::string::npos);
  EXPECT_EQ(advice(Forces::box, 1, 1, 1), "");
  EXPECT_EQ(advice(Forces::vacuum, 4, 4, 4), "");
  EXPECT_EQ(advice(Forces::box, 4, 0, 0), "");
}

TEST(DeviceShares, OneRankTakesOneGpuUnlessToldOtherwise) {
  const std::vector<VisibleDevice> four{{0, {'a'}, 80}, {1, {'b'}, 80}, {2, {'c'}, 80}, {3, {'d'}, 80}};
  const DeviceShare one = share_devices({}, four), all = share_devices({}, four, true);
  ASSERT_EQ(one.devices.size(), 1U);
  EXPECT_EQ(one.devices[0].number, 0);
  EXPECT_EQ(one.metered, std::vector<std::string>{"a"});
  EXPECT_EQ(all.devices.size(), 4U);
}

TEST(Threads, LeaveCoresToOthersWhereThereAreSome) {
  EXPECT_EQ(threads_of_share(16, 0), 16);
  EXPECT_EQ(threads_of_share(16, 1), 15);
  EXPECT_EQ(threads_of_share(3.9999999, 1), 3);
  EXPECT_EQ(threads_of_share(2.5, 1), 2);
  EXPECT_EQ(threads_of_share(0.25, 1), 1);
}

TEST(Threads, OneRankHasNoMessages) {
  DirectBackendChoice choice;
  choice.devices = {0};
  EXPECT_EQ(threads_of_messages(choice, {}), 0);
}

}  // namespace
}  // namespace multiwalk
