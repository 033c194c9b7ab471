// SPDX-License-Identifier: GPL-3.0-or-later
// The back end and forces for tests in which a device keeps the particles.
#pragma once

#include <cstddef>
#include <memory>

#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {

inline constexpr PairLaw kept_law{1, 0.005, MultipoleOrder::quadrupole};

/// Null without a device. Uses at most memory_limit bytes of its memory; 0: all.
inline std::unique_ptr<ForceBackend> keeping_backend(std::size_t memory_limit = 0, bool device_walks = true) {
  CudaOptions options;
  options.device_walks = device_walks;
  options.memory_limit = memory_limit;
  return backend_or_null(options);
}

inline GravityOptions kept_options(Mac mac, double alpha = 0.003) {
  GravityOptions options;
  options.mac = mac;
  options.theta = 0.6;
  options.alpha = alpha;
  options.expansion = 4;
  options.group_size = 100;
  return options;
}

}  // namespace multiwalk::device_test
