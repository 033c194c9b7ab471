// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "run/backends/device_advice.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/machine/machine.hpp"
#include "run/parameters/parameters.hpp"

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

TEST(BackendChoice, NamesThatCannotBeHadAreRefused) {
  const auto refused = [](const char* name, ExpectedForces expected) {
    try {
      static_cast<void>(choose_backend(name, {}, expected));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused("cuda-resident", {.walks = WhoWalks::host}),
            "back end cuda-resident means walks by devices: choose cuda for walks by the host");
  EXPECT_NE(refused("gpu", {}).find("unknown back end 'gpu': use auto, cpu, cuda, direct or ewald"), std::string::npos);
  if (!working_devices().empty()) return;
  for (const char* name : {"cuda", "cuda-resident"}) {
    const std::string text = refused(name, {.walks = WhoWalks::automatic});
    EXPECT_TRUE(text.starts_with("backend = \"" + std::string(name) + "\" cannot be used: ")) << text;
    EXPECT_TRUE(text.ends_with("; use auto or cpu")) << text;
  }
}

TEST(BackendChoice, AnAliasAsksForWalksByDevices) {
  for (const WhoWalks walks : {WhoWalks::automatic, WhoWalks::host, WhoWalks::device}) {
    for (const char* name : {"auto", "cuda", "cpu", "direct"}) EXPECT_EQ(asked_walks(name, walks), walks) << name;
  }
  EXPECT_EQ(asked_walks("cuda-resident", WhoWalks::automatic), WhoWalks::device);
  EXPECT_EQ(asked_walks("cuda-resident", WhoWalks::device), WhoWalks::device);
}

struct WalkCase {
  WalkFacts facts;
  bool by_devices;
  const char* why;
};

TEST(BackendChoice, DevicesWalkWhereTheyCanDoTheRun) {
  using enum WhoWalks;
  constexpr double many = 1e6;
  const char* const too_few =
      "the host makes the walks, because a GPU walks only for 20000 particles of its rank or "
      "more";
  const WalkCase cases[] = {
      // One rank with one device does everything.
      {{automatic, many, 1, 1}, true, "it also makes the walks"},
      {{device, many, 1, 1}, true, "it also makes the walks, as asked"},
      {{host, many, 1, 1}, false, "the host makes the walks, as asked"},
      {{automatic, 20000, 1, 1}, true, "it also makes the walks"},
      {{automatic, 19999, 1, 1}, false, too_few},
      // Several ranks, each with one device or a share of one.
      {{automatic, many, 4, 1}, true, "they also make the walks"},
      {{device, many, 2, 1}, true, "they also make the walks, as asked"},
      {{host, many, 4, 1}, false, "the hosts make the walks, as asked"},
      {{automatic, 80000, 4, 1}, true, "they also make the walks"},
      {{automatic, 79999, 4, 1},
       false,
       "the hosts make the walks, because a GPU walks only for 20000 particles of its rank or more"},
      // Several devices for one rank.
      {{automatic, many, 1, 2},
       false,
       "the host makes the walks, because GPUs walk only where a rank has one of them, not 2"},
      {{automatic, many, 2, 3},
       false,
       "the hosts make the walks, because GPUs walk only where a rank has one of them, not 3"},
      {{device, many, 1, 4},
       false,
       "the host makes the walks and not devices, as asked, because GPUs walk only where a rank has one of them, not "
       "4"},
      {{host, many, 1, 4}, false, "the host makes the walks, as asked"},
  };
  for (const WalkCase& row : cases) {
    const ChosenWalks chosen = choose_walks(row.facts);
    EXPECT_EQ(chosen.why, row.why);
    EXPECT_EQ(chosen.by_devices, row.by_devices) << row.why;
  }
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
  EXPECT_EQ(choice.backend->name(), "cuda");
  EXPECT_TRUE(choice.why.ends_with("; it also makes the walks")) << choice.why;
  EXPECT_NE(choice.backend->device_walker(), nullptr);
  const BackendChoice by_host = choose_backend("cuda", {}, {.walks = WhoWalks::host});
  EXPECT_TRUE(by_host.why.ends_with("; the host makes the walks, as asked")) << by_host.why;
  EXPECT_EQ(by_host.backend->device_walker(), nullptr);
  const BackendChoice alias = choose_backend("cuda-resident", {});
  EXPECT_TRUE(alias.why.ends_with("; it also makes the walks, as asked")) << alias.why;
}

std::string advice(int ranks, int used, int visible, bool named = false) {
  return device_advice({ranks, used, visible, named});
}

TEST(DeviceAdvice, SaysWhatIsFastestOnAHostWithMoreGpusThanRanks) {
  EXPECT_EQ(advice(1, 1, 4),
            "one of this host's 4 GPUs is used; `mpiexec -n 4 multiwalk run ...` uses all and is faster for many "
            "particles");
  EXPECT_EQ(advice(2, 2, 4), "2 ranks use 2 of this host's 4 GPUs: start as many ranks as there are GPUs");
  EXPECT_EQ(advice(3, 1, 4), "3 ranks use 1 of this host's 4 GPUs: start as many ranks as there are GPUs");
}

TEST(DeviceAdvice, WarnsOfASlowWayAndIsSilentOtherwise) {
  EXPECT_EQ(
      advice(1, 4, 4, true),
      "run.devices gives 4 GPUs to one rank, which is slower than one GPU: leave it out, or start a rank for each "
      "GPU");
  EXPECT_EQ(advice(1, 1, 4, true), "");  // one was asked for
  EXPECT_EQ(advice(1, 0, 4), "");        // on the CPU
  EXPECT_EQ(advice(2, 2, 4, true), "");
  EXPECT_EQ(advice(1, 1, 1), "");
  EXPECT_EQ(advice(4, 4, 4), "");
  EXPECT_EQ(advice(4, 0, 0), "");
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
