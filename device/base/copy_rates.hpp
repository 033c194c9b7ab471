// SPDX-License-Identifier: GPL-3.0-or-later
// How fast messages travel between host and device, depending on their size (Schive et al. 2008).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace multiwalk {

/// Seconds of one copy that is waited for, to and from page-locked and ordinary (pageable) memory of the host.
struct CopySeconds {
  std::size_t bytes = 0;
  double to_device_locked = 0, to_device_pageable = 0, to_host_locked = 0, to_host_pageable = 0;
};

/// For each size, on the device with this number. Throws Error if host or device lacks the memory.
std::vector<CopySeconds> measure_copies(int device, std::span<const std::size_t> sizes);

}  // namespace multiwalk
