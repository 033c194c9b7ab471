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

TEST(BackendChoice, AutoLetsOneDeviceOfOneRankWalk) {
  EXPECT_EQ(host_walks_because(1, 1), "");
  EXPECT_EQ(host_walks_because(2, 1), "there are 2 devices");
  EXPECT_EQ(host_walks_because(1, 4), "there are 4 ranks");
}

/// Here and where there are devices.
TEST(BackendChoice, AutoSaysWhoWalks) {
  const BackendChoice choice = choose_backend("auto", {});
  EXPECT_EQ(choice.devices.size(), working_devices().size());
  if (choice.devices.empty()) {
    EXPECT_EQ(choice.backend->name(), "cpu");
    EXPECT_EQ(choice.why.find("walks"), std::string::npos) << choice.why;
    return;
  }
  const bool alone = choice.devices.size() == 1;
  EXPECT_EQ(choice.backend->name(), alone ? "cuda-resident" : "cuda");
  EXPECT_NE(choice.why.find(alone ? "makes the walks" : "the host makes the walks, because"), std::string::npos)
      << choice.why;
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
