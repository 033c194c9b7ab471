// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/multiwalk_backend.hpp"
#include "device/backends/single_walk_backend.hpp"
#include "device/base/copy_rates.hpp"
#include "device/direct/cuda_block_stepper.hpp"
#include "device/direct/cuda_direct_backend.hpp"
#include "device/direct/strategies.hpp"
#include "host/base/error.hpp"
#include "run/backends/device_sums.hpp"
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

namespace {

std::string praise(const ForceBackend& backend) {
  return "the GPU works: " + backend.description();
}

}  // namespace

BackendChoice try_cuda(const std::vector<int>& numbers, std::uint64_t memory_limit, bool device_walks) {
  BackendChoice choice;
  CudaOptions options;
  options.devices = numbers;
  options.memory_limit = memory_limit;
  options.device_walks = device_walks;
  choice.backend = make_cuda_backend(options, choice.why);
  if (!choice.backend) return choice;
  choice.devices = numbers.empty() ? working_devices() : numbers;
  choice.why = praise(*choice.backend);
  return choice;
}

BackendChoice try_single_walk(const std::string& name, int device) {
  BackendChoice choice;
  CudaOptions options;
  options.devices = {device};
  const SingleWalk strategy = name == "cuda-i" ? SingleWalk::i_parallel : SingleWalk::j_parallel;
  choice.backend = make_single_walk_backend(strategy, options, choice.why);
  if (!choice.backend) return choice;
  choice.devices = {device};
  choice.why = praise(*choice.backend);
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

std::vector<DeviceSum> device_sums(int device) {
  std::vector<DeviceSum> all;
  for (const bool one_way : {true, false}) {
    std::string why;
    auto backend = make_cuda_direct_backend(device, why);
    require(backend != nullptr, why);
    all.push_back({one_way ? "runs, one way" : "runs, each pair once", std::move(backend), one_way});
  }
  for (const SumStrategy& strategy : sum_strategies) {
    all.push_back(
        {strategy.name, make_strategy_backend(strategy, device), false, strategy.sharing == BlockSharing::one_block});
  }
  return all;
}

std::unique_ptr<DirectBackend> tiled_device_sum(int device, unsigned threads, unsigned blocks) {
  return make_strategy_backend({"tiles", TileOrder::i_parallel, BlockSharing::all_blocks, threads, 1, blocks}, device);
}

std::vector<MessageSeconds> message_seconds(int device, const std::vector<std::size_t>& sizes) {
  std::vector<MessageSeconds> all;
  for (const CopySeconds& copy : measure_copies(device, sizes)) {
    all.push_back(
        {copy.bytes, copy.to_device_locked, copy.to_device_pageable, copy.to_host_locked, copy.to_host_pageable});
  }
  return all;
}

}  // namespace multiwalk
