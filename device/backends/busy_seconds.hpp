// SPDX-License-Identifier: GPL-3.0-or-later
// How long at least one of several intervals lasted.
#pragma once

#include <algorithm>
#include <vector>

#include "device/backends/batch_slot.cuh"

namespace multiwalk {

/// Length of the union of the intervals.
inline double union_seconds(std::vector<BusyInterval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  double sum = 0, end = 0;
  for (const BusyInterval& i : intervals) {
    sum += std::max(0.0, i.end - std::max(i.begin, end));
    end = std::max(end, i.end);
  }
  return sum;
}

}  // namespace multiwalk
