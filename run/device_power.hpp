// Energy that NVIDIA GPUs have used, from NVML. The library is opened at run time, so nothing depends on it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace multiwalk {

/// Meter of some GPUs, by CUDA device number (CUDA_VISIBLE_DEVICES respected). Starts at 0 when made.
class DevicePower {
 public:
  explicit DevicePower(const std::vector<int>& devices);
  ~DevicePower();
  DevicePower(DevicePower&&) noexcept;
  DevicePower& operator=(DevicePower&&) noexcept;

  /// Joules used since this was made, whole boards; null without devices, driver or counter.
  [[nodiscard]] std::optional<double> joules() const;

 private:
  class Nvml;
  std::unique_ptr<Nvml> nvml_;
};

/// Names of all GPUs the driver knows; empty without a driver.
std::vector<std::string> gpu_names();

/// Which board, by number or UUID, CUDA device `device` is, when CUDA_VISIBLE_DEVICES is `visible` (null: not set).
std::string physical_device(int device, const char* visible);

}  // namespace multiwalk
