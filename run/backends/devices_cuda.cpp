// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/multiwalk_backend.hpp"
#include "device/direct/cuda_block_stepper.hpp"
#include "device/direct/cuda_direct_backend.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/backends/tree_backend.hpp"

namespace multiwalk {

std::vector<VisibleDevice> visible_devices(std::string& why) {
  std::vector<VisibleDevice> visible;
  for (const DeviceDescription& device : list_devices(why)) {
    VisibleDevice seen;
    seen.number = device.number;
    device.bus_id.copy(seen.bus_id.data(), seen.bus_id.size() - 1);
    seen.memory = device.memory;
    visible.push_back(seen);
  }
  return visible;
}

std::vector<int> working_devices() {
  std::vector<int> working;
  std::string ignored;
  for (const DeviceDescription& device : find_devices(ignored)) {
    if (device.fault.empty()) working.push_back(device.number);
  }
  return working;
}

std::vector<int> first_working_device() {
  std::string ignored;
  for (const DeviceDescription& device : list_devices(ignored)) {
    const auto number = static_cast<std::size_t>(device.number);
    if (find_devices(ignored, {device.number})[number].fault.empty()) return {device.number};
  }
  return {};
}

BackendChoice try_cuda(const std::vector<int>& numbers, std::uint64_t memory_limit, bool device_walks) {
  BackendChoice choice;
  CudaOptions options;
  options.devices = numbers;
  options.memory_limit = memory_limit;
  options.device_walks = device_walks;
  choice.backend = make_cuda_backend(options, choice.why);
  if (!choice.backend) return choice;
  choice.devices = numbers.empty() ? working_devices() : numbers;
  choice.why = "the GPU works: " + choice.backend->description();
  return choice;
}

DirectBackendChoice try_cuda_direct(const std::vector<int>& numbers) {
  DirectBackendChoice choice;
  choice.backend = make_cuda_direct_backend(numbers.front(), choice.why);
  if (choice.backend) choice.devices = {numbers.front()};
  return choice;
}

std::unique_ptr<BlockStepper> cuda_block_stepper(int device) {
  return make_cuda_block_stepper(device);
}

}  // namespace multiwalk
