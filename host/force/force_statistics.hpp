// SPDX-License-Identifier: GPL-3.0-or-later
// Counts and times of force evaluations.
#pragma once

#include "host/base/phase_timer.hpp"
#include "host/force/force_backend.hpp"
#include "host/walk/raw_count.hpp"

namespace multiwalk {

/// Counts and times of one evaluation. The first one with the relative criterion includes the evaluation that it starts
/// from.
struct ForceStatistics {
  RawCount raw;
  PhaseSeconds seconds{};  ///< exclusive wall time by phase; sums to the evaluation's
  BackendTimes backend;    ///< summed over lanes; overlapped work counts fully
  double walking = 0;      ///< seconds of walking, summed over threads
  double waiting = 0;      ///< seconds threads waited for the back end, summed over threads
  double wall = 0;         ///< wall time from the first walk to the last force
  double imbalance = 1;    ///< busiest thread / mean, over all source trees
  double remote = 0;       ///< the part of `wall` that went into other ranks' trees
  double delivering = 0;   ///< wall time of the transfer of results alone
  int threads = 1;
  bool by_devices = false;  ///< they made the walks

  void add(const PhaseSeconds& more);
  /// Seconds of the work that depends on the sizes of groups and leaves: without ordering, mesh, delivery of results,
  /// and exchange with other ranks.
  [[nodiscard]] double seconds_of_sizes() const;
  ForceStatistics& operator+=(const ForceStatistics& other);
  /// Divides the wall time of the walking region among phases in proportion to the threads' summed seconds: walking,
  /// then packing and evaluating (if the back end works in the lanes), or waiting for copies and kernels (if it
  /// overlaps).
  void charge_region(bool overlaps);
};

}  // namespace multiwalk
