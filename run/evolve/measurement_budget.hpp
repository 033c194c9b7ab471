// SPDX-License-Identifier: GPL-3.0-or-later
// How much a run measures of itself when nobody says: about 2 % of what it takes to run, from counts alone, so that
// results do not depend on timing.
#pragma once

#include <cstdint>

namespace multiwalk {

/// What is known of a run before it begins.
struct ExpectedRun {
  std::uint64_t particles = 0;
  double evaluations = 0;  ///< of all forces
  std::uint64_t outputs = 1;
  bool periodic = false;   ///< the truth is an Ewald sum
  bool on_device = false;  ///< which sums a sample in double precision too
};

struct MeasurementBudget {
  std::uint32_t error_sample = 0;   ///< particles compared with direct summation at each output
  std::uint32_t census_epochs = 0;  ///< at which effective interactions are counted
};

/// A 99th percentile needs this many particles (analysis/forces/force_error.hpp); more are not taken.
inline constexpr std::uint32_t full_error_sample = 1000;

MeasurementBudget measurement_budget(const ExpectedRun& run);

}  // namespace multiwalk
