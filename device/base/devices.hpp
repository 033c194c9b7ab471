// SPDX-License-Identifier: GPL-3.0-or-later
// Which CUDA devices there are, and which of them work.
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

/// Every device the driver shows, none tried: takes no memory there and leaves memory_free 0. None: `why` says why.
/// Never throws.
std::vector<DeviceDescription> list_devices(std::string& why);

/// The same, the devices of these numbers (none named: all) tried with a small kernel.
std::vector<DeviceDescription> find_devices(std::string& why, const std::vector<int>& tried = {});

}  // namespace multiwalk
