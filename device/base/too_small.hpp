// SPDX-License-Identifier: GPL-3.0-or-later
// The error if a device lacks room for what it must hold.
#pragma once

#include <string>

#include "device/base/device_buffer.cuh"
#include "host/base/error.hpp"

namespace multiwalk {

inline std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

inline InputError too_small(const DeviceMemory& memory, const std::string& why) {
  return InputError("CUDA device " + std::to_string(memory.device()) + " is too small: " + why +
                    ": use fewer particles, more ranks with a device each, larger leaves (--set force.leaf_size=...), "
                    "fewer threads (--set run.threads=...) or --set run.backend=cpu");
}

}  // namespace multiwalk
