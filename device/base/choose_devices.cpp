// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/choose_devices.hpp"

#include "host/base/error.hpp"

namespace multiwalk {

std::vector<DeviceDescription> choose_devices(const std::vector<int>& wanted, std::string& why) {
  std::vector<DeviceDescription> chosen;
  const std::vector<DeviceDescription> found = find_devices(why, wanted);
  for (const int number : wanted) {
    if (number < 0 || static_cast<std::size_t>(number) >= found.size()) {
      throw InputError("run.devices: there is no CUDA device " + std::to_string(number) + " (" +
                       (found.empty() ? why : "0 to " + std::to_string(found.size() - 1) + " exist") + ")");
    }
    const DeviceDescription& device = found[static_cast<std::size_t>(number)];
    if (!device.fault.empty()) {
      throw InputError("run.devices: CUDA device " + std::to_string(number) + " (" + device.name +
                       ") does not work: " + device.fault);
    }
    chosen.push_back(device);
  }
  std::string faults, names;
  for (const DeviceDescription& device : found) {
    if (!device.fault.empty()) {
      faults += (faults.empty() ? "" : "; ") + device.name + ": " + device.fault;
    } else if (wanted.empty()) {
      chosen.push_back(device);
    }
  }
  for (const DeviceDescription& device : chosen) {
    names += (names.empty() ? "" : ", ") + device.name + " (device " + std::to_string(device.number) + ")";
  }
  if (!chosen.empty()) {
    why = names + " ran a test kernel";
  } else if (!found.empty()) {
    why = faults;
  }
  return chosen;
}

}  // namespace multiwalk
