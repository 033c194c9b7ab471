// SPDX-License-Identifier: GPL-3.0-or-later
// Who can make Hermite's block steps all by itself: a device that holds the bodies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/time/direct_integrator.hpp"

namespace multiwalk {

struct BlockSteps {
  DirectCounts made;
  double seconds = 0;  ///< in which the device was at work
};

/// All bodies are this process's. One thread at a time may call it.
class BlockStepper {
 public:
  virtual ~BlockStepper() = default;
  /// Whether it makes the steps that these options ask for.
  [[nodiscard]] virtual bool takes(const DirectOptions& options, std::size_t bodies) const = 0;
  /// Up to `most` of the steps left in the block that has begun, as HermiteBlocks makes them, to rounding; bitwise the
  /// same however many are asked for at a time. `state.frame` is set. Throws Error as HermiteBlocks::step, or if the
  /// device fails: bodies and state are then as they were.
  virtual BlockSteps steps(const DirectOptions& options, Bodies& bodies, DirectState& state, std::uint64_t most) = 0;
};

}  // namespace multiwalk
