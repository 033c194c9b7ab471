// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/device_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/base/error.hpp"
#include "run/machine/machine.hpp"

namespace multiwalk {

namespace {

using BusId = std::array<char, 32>;

/// Memory that a process uses on a device before its first array, with a margin.
constexpr std::uint64_t context_bytes = std::uint64_t{600} << 20;

std::vector<BusId> bus_ids(const std::vector<VisibleDevice>& devices) {
  std::vector<BusId> ids;
  for (const VisibleDevice& device : devices) ids.push_back(device.bus_id);
  return ids;
}

/// Every rank's bus ids, one list per rank.
std::vector<std::vector<BusId>> gather_ids(const Communicator& host, const std::vector<VisibleDevice>& devices) {
  const std::vector<BusId> mine = bus_ids(devices);
  std::vector<BusId> copies;
  for (int r = 0; r < host.size(); ++r) copies.insert(copies.end(), mine.begin(), mine.end());
  const std::vector<std::uint64_t> counts(static_cast<std::size_t>(host.size()), mine.size());
  const Received<BusId> all = host.exchange(std::span<const BusId>(copies), std::span<const std::uint64_t>(counts));
  std::vector<std::vector<BusId>> lists;
  auto at = all.data.begin();
  for (const std::uint64_t count : all.count) {
    lists.emplace_back(at, at + static_cast<std::ptrdiff_t>(count));
    at += static_cast<std::ptrdiff_t>(count);
  }
  return lists;
}

std::vector<VisibleDevice> deal_all(const std::vector<VisibleDevice>& visible, int rank, int ranks) {
  const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(ranks);
  if (visible.size() < n) return {visible[r % visible.size()]};
  const std::size_t first = r * visible.size() / n;
  const std::size_t last = (r + 1) * visible.size() / n;
  return {visible.begin() + static_cast<std::ptrdiff_t>(first), visible.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace

std::vector<VisibleDevice> allowed_devices(const std::vector<int>& wanted, std::string& why) {
  const std::vector<VisibleDevice> visible = visible_devices(why);
  if (wanted.empty() || visible.empty()) return visible;
  std::vector<VisibleDevice> allowed;
  for (const int number : wanted) {
    const auto found = std::ranges::find(visible, number, &VisibleDevice::number);
    if (found == visible.end()) {
      throw InputError(fmt::format("run.devices: there is no CUDA device {} on {}", number, host_name()));
    }
    allowed.push_back(*found);
  }
  return allowed;
}

DeviceShare share_devices(const Communicator& host, const std::vector<VisibleDevice>& visible, bool all) {
  DeviceShare share;
  const std::vector<std::vector<BusId>> seen = gather_ids(host, visible);
  const bool same = std::ranges::all_of(seen, [&](const auto& ids) { return ids == seen.front(); });
  const std::size_t place = same ? static_cast<std::size_t>(host.rank()) : 0;
  if (!all && !visible.empty()) {
    share.devices = {visible[place % visible.size()]};
  } else {
    share.devices = same && !visible.empty() ? deal_all(visible, host.rank(), host.size()) : visible;
  }

  const std::vector<std::vector<BusId>> used = gather_ids(host, share.devices);
  std::map<BusId, std::vector<int>> users;
  for (int r = 0; r < host.size(); ++r) {
    for (const BusId& id : used[static_cast<std::size_t>(r)]) users[id].push_back(r);
  }
  for (const VisibleDevice& device : share.devices) {
    const std::vector<int>& ranks = users[device.bus_id];
    const auto sharers = static_cast<std::uint64_t>(ranks.size());
    if (ranks.front() == host.rank()) share.metered.emplace_back(device.bus_id.data());
    if (sharers == 1) continue;
    share.ranks = std::max(share.ranks, static_cast<int>(sharers));
    const std::uint64_t taken = std::min(sharers * context_bytes, device.memory / 2);
    const std::uint64_t limit = (device.memory - taken) / 20 * 19 / sharers;
    share.memory_limit = share.memory_limit == 0 ? limit : std::min(share.memory_limit, limit);
  }
  return share;
}

}  // namespace multiwalk
