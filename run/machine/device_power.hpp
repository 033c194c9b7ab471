// SPDX-License-Identifier: GPL-3.0-or-later
// Energy that NVIDIA GPUs have used, from NVML. The library is opened at run time, so nothing depends on it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace multiwalk {

/// Meter of some GPUs of this host, by PCI bus id. Starts at 0 when made.
class DevicePower {
 public:
  explicit DevicePower(const std::vector<std::string>& bus_ids);
  ~DevicePower();
  DevicePower(DevicePower&&) noexcept;
  DevicePower& operator=(DevicePower&&) noexcept;

  /// Joules used since this was made, whole boards; null without devices, driver or counter. Reading a counter takes
  /// milliseconds: a value that was read at most `oldest` seconds ago is reused.
  [[nodiscard]] std::optional<double> joules(double oldest = 0) const;

 private:
  class Nvml;
  std::unique_ptr<Nvml> nvml_;
};

/// Names of all GPUs the driver knows; empty without a driver.
std::vector<std::string> gpu_names();

}  // namespace multiwalk
