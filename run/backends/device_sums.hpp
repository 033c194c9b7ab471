// SPDX-License-Identifier: GPL-3.0-or-later
// The sums and copies that `bench direct --scan` measures on a device; empty in a program built without CUDA.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "host/direct/direct_backend.hpp"

namespace multiwalk {

/// A way to sum over all pairs on a device.
struct DeviceSum {
  std::string name;
  std::unique_ptr<DirectBackend> backend;
  bool one_way = false;    ///< needs targets in arrays of their own
  bool one_block = false;  ///< uses only one multiprocessor
};

/// The kernels that runs use, one way and with each pair once, then every strategy of device/direct/strategies.hpp.
std::vector<DeviceSum> device_sums(int device);

/// The tiled kernel (i-parallel) on `blocks` blocks of `threads` threads. Null without CUDA.
std::unique_ptr<DirectBackend> tiled_device_sum(int device, unsigned threads, unsigned blocks);

/// Seconds that a message takes, to and from page-locked and pageable memory of the host.
struct MessageSeconds {
  std::size_t bytes = 0;
  double to_device_locked = 0, to_device_pageable = 0, to_host_locked = 0, to_host_pageable = 0;
};
std::vector<MessageSeconds> message_seconds(int device, const std::vector<std::size_t>& sizes);

}  // namespace multiwalk
