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

/// The devices that the driver shows on this rank; if there are none, `why` is set. Uses no device memory.
std::vector<VisibleDevice> visible_devices(std::string& why);

/// The devices that may be used: those with the `wanted` numbers, or all if that is empty. Throws InputError if a
/// wanted one does not exist.
std::vector<VisibleDevice> allowed_devices(const std::vector<int>& wanted, std::string& why);

struct DeviceShare {
  std::vector<VisibleDevice> devices;
  int ranks = 1;                     ///< most ranks that share one of them
  std::uint64_t memory_limit = 0;    ///< bytes this rank may hold on each; 0: all that is free
  std::vector<std::string> metered;  ///< bus ids; every device is metered by one rank that uses it
};

/// One device for each rank of `host`: rank r takes number r modulo the number of devices; a rank whose launcher gave
/// it other devices than the others takes its first. With `all`, every device is used: contiguous devices go to each
/// rank if there are enough, and a rank keeps all that its launcher gave it. Collective.
DeviceShare share_devices(const Communicator& host, const std::vector<VisibleDevice>& visible, bool all = false);

}  // namespace multiwalk
