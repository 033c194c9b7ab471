// SPDX-License-Identifier: GPL-3.0-or-later
// Which of a host's devices each of its ranks uses, and how much of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// A device as one rank sees it.
struct VisibleDevice {
  int number = 0;                 ///< CUDA's, on this rank
  std::array<char, 32> bus_id{};  ///< PCI, the same for every rank of the host; zero padded
  std::uint64_t memory = 0;       ///< bytes
};

/// The devices the driver shows on this rank; none: `why` says why. Takes no memory on them.
std::vector<VisibleDevice> visible_devices(std::string& why);

/// Those of them that may be used: the `wanted` numbers, all if none is. Throws InputError if a wanted one does not
/// exist.
std::vector<VisibleDevice> allowed_devices(const std::vector<int>& wanted, std::string& why);

struct DeviceShare {
  std::vector<VisibleDevice> devices;
  int ranks = 1;                     ///< most ranks that share one of them
  std::uint64_t memory_limit = 0;    ///< bytes this rank may hold on each; 0: all that is free
  std::vector<std::string> metered;  ///< bus ids; every device is metered by one rank that uses it
};

/// `visible` dealt to the ranks of `host`: contiguous runs of devices where there are enough, else contiguous ranks
/// share one. Ranks that a launcher gave different devices keep what they see. Collective.
DeviceShare share_devices(const Communicator& host, const std::vector<VisibleDevice>& visible);

}  // namespace multiwalk
