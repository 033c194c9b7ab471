// SPDX-License-Identifier: GPL-3.0-or-later
// A block of power-of-two steps as ticks and rungs (McMillan 1986; Makino 1991), in one source for host and device.
#pragma once

#include <cstdint>

#include "host/base/host_device.hpp"

namespace multiwalk {

/// A block is 2^40 ticks; a body on rung k steps by 2^(40 - k) ticks. A step can become shorter at any time; it can
/// double only where a step of twice the length begins.
struct BlockTicks {
  static constexpr int deepest = 40;
  static constexpr std::uint64_t ticks = std::uint64_t{1} << deepest;

  double begin = 0, end = 0;  ///< times

  static MULTIWALK_HOST_DEVICE std::uint64_t step_ticks(int rung) { return ticks >> rung; }
  /// The tick at which the current step of a body on `rung` began, seen at `tick`.
  static MULTIWALK_HOST_DEVICE std::uint64_t begin_of_step(std::uint64_t tick, int rung) {
    return tick & ~(step_ticks(rung) - 1);
  }
  /// Whether steps of this rung end at `tick`.
  static MULTIWALK_HOST_DEVICE bool step_ends(std::uint64_t tick, int rung) {
    return begin_of_step(tick, rung) == tick;
  }

  [[nodiscard]] MULTIWALK_HOST_DEVICE double length(std::uint64_t of_ticks) const {
    constexpr double tick = 1.0 / static_cast<double>(ticks);
    return (end - begin) * tick * static_cast<double>(of_ticks);
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE double step_length(int rung) const { return length(step_ticks(rung)); }
  [[nodiscard]] MULTIWALK_HOST_DEVICE double time_at(std::uint64_t tick) const {
    return tick == ticks ? end : begin + length(tick);
  }

  /// The first rung from `rung` on whose steps are no longer than `wanted`; deepest + 1 if there is none.
  [[nodiscard]] MULTIWALK_HOST_DEVICE int rung_for(double wanted, int rung = 0) const {
    while (rung <= deepest && !(step_length(rung) <= wanted)) ++rung;
    return rung;
  }
  /// The next rung of a body on `rung` whose step ends at `tick`; deepest + 1 if it needs a shorter step than there is.
  [[nodiscard]] MULTIWALK_HOST_DEVICE int next_rung(int rung, std::uint64_t tick, double wanted) const {
    if (!(step_length(rung) <= wanted)) return rung_for(wanted, rung);
    const bool longer_begins = rung > 0 && step_ends(tick, rung - 1);
    return longer_begins && step_length(rung - 1) <= wanted ? rung - 1 : rung;
  }
};

}  // namespace multiwalk
