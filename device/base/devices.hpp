// SPDX-License-Identifier: GPL-3.0-or-later
// Which CUDA devices exist, and which of them work.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace multiwalk {

struct DeviceDescription {
  int number = 0;  ///< CUDA's device number
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory = 0;       ///< bytes
  std::size_t memory_free = 0;  ///< bytes
  std::string bus_id;           ///< PCI
  std::string fault;            ///< empty if a kernel of this program ran there; else why not
};

/// Every device that the driver shows, untested: uses no memory there and leaves memory_free 0. If none, `why` is set.
/// Never throws.
std::vector<DeviceDescription> list_devices(std::string& why);

/// The same, with the devices of these numbers (all if empty) tested by a small kernel. Throws InputError in a process
/// whose parent used CUDA before the fork.
std::vector<DeviceDescription> find_devices(std::string& why, const std::vector<int>& tried = {});

}  // namespace multiwalk
