// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

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

TEST(BackendChoice, AutoLetsOneDeviceOfOneRankWalkInAVacuum) {
  EXPECT_EQ(host_walks_because(1, 1, true), "");
  EXPECT_EQ(host_walks_because(1, 1, false), "the box is periodic");
  EXPECT_EQ(host_walks_because(2, 1, true), "there are 2 devices");
  EXPECT_EQ(host_walks_because(1, 4, true), "there are 4 ranks");
}

/// Here and where there are devices.
TEST(BackendChoice, AutoSaysWhoWalks) {
  const BackendChoice vacuum = choose_backend("auto", {}, {.vacuum = true}), box = choose_backend("auto", {});
  EXPECT_EQ(vacuum.devices.size(), working_devices().size());
  if (vacuum.devices.empty()) {
    EXPECT_EQ(vacuum.backend->name(), "cpu");
    EXPECT_EQ(vacuum.why.find("walks"), std::string::npos) << vacuum.why;
    return;
  }
  EXPECT_EQ(vacuum.backend->name(), vacuum.devices.size() == 1 ? "cuda-resident" : "cuda");
  EXPECT_EQ(box.backend->name(), "cuda");
  EXPECT_NE(vacuum.why.find("makes the walks"), std::string::npos) << vacuum.why;
  EXPECT_NE(box.why.find("the host makes the walks, because"), std::string::npos) << box.why;
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
