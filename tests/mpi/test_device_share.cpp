// SPDX-License-Identifier: GPL-3.0-or-later
// Devices dealt to the ranks of a host: everyone has one, none is left out, memory is shared, each is metered once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "run/machine/device_share.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

VisibleDevice device(int number, int board) {
  VisibleDevice made;
  made.number = number;
  fmt::format("0000:{:02x}:00.0", board).copy(made.bus_id.data(), made.bus_id.size() - 1);
  made.memory = 80 * gibibyte;
  return made;
}

TEST(DeviceShare, EveryRankHasDevicesAndEveryDeviceARank) {
  const int ranks = world().size();
  for (int count = 1; count <= 9; ++count) {
    std::vector<VisibleDevice> visible;
    for (int d = 0; d < count; ++d) visible.push_back(device(d, 16 + d));
    const DeviceShare share = share_devices(world(), visible, true);
    ASSERT_FALSE(share.devices.empty());
    for (std::size_t d = 1; d < share.devices.size(); ++d) {
      EXPECT_EQ(share.devices[d].number, share.devices[d - 1].number + 1);
    }
    std::vector<std::uint32_t> users(static_cast<std::size_t>(count), 0);
    for (const VisibleDevice& d : share.devices) ++users[static_cast<std::size_t>(d.number)];
    world().sum(std::span<std::uint32_t>(users));
    for (const std::uint32_t u : users) {
      EXPECT_GE(u, 1U);
      EXPECT_LE(u, static_cast<std::uint32_t>((ranks + count - 1) / count));
    }
    EXPECT_EQ(world().sum(static_cast<std::uint64_t>(share.metered.size())), static_cast<std::uint64_t>(count));
    for (const VisibleDevice& d : share.devices) {
      const std::uint64_t sharers = users[static_cast<std::size_t>(d.number)];
      EXPECT_LE(share.memory_limit * sharers, d.memory - (sharers > 1 ? sharers * gibibyte / 2 : 0));
      EXPECT_EQ(share.memory_limit > 0, sharers > 1);
    }
  }
}

TEST(DeviceShare, EveryRankTakesOneDeviceInTurn) {
  for (int count = 1; count <= 9; ++count) {
    std::vector<VisibleDevice> visible;
    for (int d = 0; d < count; ++d) visible.push_back(device(d, 16 + d));
    const DeviceShare share = share_devices(world(), visible);
    ASSERT_EQ(share.devices.size(), 1U);
    EXPECT_EQ(share.devices[0].number, world().rank() % count);
    EXPECT_EQ(world().sum(static_cast<int>(share.metered.size())), std::min(count, world().size()));
  }
}

TEST(DeviceShare, RanksWithDifferentDevicesTakeTheFirstOfTheirOwn) {
  const int r = world().rank();
  const std::vector<VisibleDevice> mine{device(0, 16 + 2 * r), device(1, 17 + 2 * r)};
  const DeviceShare share = share_devices(world(), mine);
  ASSERT_EQ(share.devices.size(), 1U);
  EXPECT_EQ(share.devices[0].number, 0);
  EXPECT_EQ(share.ranks, 1);
}

TEST(DeviceShare, LauncherThatGaveEachRankItsOwnIsObeyed) {
  const DeviceShare share = share_devices(world(), {device(0, 16 + world().rank())});
  ASSERT_EQ(share.devices.size(), 1U);
  EXPECT_EQ(share.ranks, 1);
  EXPECT_EQ(share.memory_limit, 0U);
  EXPECT_EQ(share.metered.size(), 1U);
}

TEST(DeviceShare, RanksWithoutDevicesHaveNone) {
  const bool mine = world().root();
  const DeviceShare share = share_devices(world(), mine ? std::vector{device(0, 16)} : std::vector<VisibleDevice>{});
  EXPECT_EQ(share.devices.size(), mine ? 1U : 0U);
  EXPECT_EQ(share.metered.size(), mine ? 1U : 0U);
}

}  // namespace
}  // namespace multiwalk
