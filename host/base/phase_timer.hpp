// SPDX-License-Identifier: GPL-3.0-or-later
// Exclusive wall time per named phase of a step; the phases sum to the elapsed time.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace multiwalk {

/// decompose: cuts and migration. let: essential trees, unless force work hides them. mesh: the long-range part of
/// forces in a periodic box.
enum class Phase { sort, tree, walk, pack, transfer, device, let, integration, io, other, decompose, mesh };

inline constexpr std::size_t phase_count = 12;
inline constexpr std::array<std::string_view, phase_count> phase_names{
    "sort", "tree", "walk", "pack", "transfer", "device", "let", "integration", "io", "other", "decompose", "mesh"};

using PhaseSeconds = std::array<double, phase_count>;

inline double total(const PhaseSeconds& seconds) {
  double sum = 0;
  for (double s : seconds) sum += s;
  return sum;
}

/// Seconds of a monotonic clock.
inline double wall_time() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Charges the time between calls to `enter` to the phase entered last. For one thread.
class PhaseTimer {
 public:
  PhaseTimer() : last_(wall_time()) {}

  void enter(Phase phase) {
    charge();
    current_ = phase;
  }
  [[nodiscard]] const PhaseSeconds& seconds() {
    charge();
    return seconds_;
  }

 private:
  void charge() {
    const double now = wall_time();
    seconds_[static_cast<std::size_t>(current_)] += now - last_;
    last_ = now;
  }

  Phase current_ = Phase::other;
  double last_;
  PhaseSeconds seconds_{};
};

}  // namespace multiwalk
