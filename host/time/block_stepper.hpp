// SPDX-License-Identifier: GPL-3.0-or-later
// Makes Hermite's block steps independently of the host: a device that holds the bodies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/time/direct_integrator.hpp"

namespace multiwalk {

struct BlockSteps {
  DirectCounts made;
  double seconds = 0;  ///< during which the device was busy
};

/// All bodies belong to this process. One thread at a time may call it.
class BlockStepper {
 public:
  virtual ~BlockStepper() = default;
  /// Whether it can make the steps that these options ask for.
  [[nodiscard]] virtual bool takes(const DirectOptions& options, std::size_t bodies) const = 0;
  /// Makes up to `most` of the steps left in the current block, with the same results as HermiteBlocks up to rounding,
  /// and the same bits however many are requested at once. `state.frame` must be set. Throws Error like
  /// HermiteBlocks::step, or if the device fails; bodies and state are then unchanged.
  virtual BlockSteps steps(const DirectOptions& options, Bodies& bodies, DirectState& state, std::uint64_t most) = 0;
};

}  // namespace multiwalk
