// SPDX-License-Identifier: GPL-3.0-or-later
// How much a run measures of itself unless the parameters set it: together with the tuner's trials
// (host/solver/size_tuner.hpp), all measurements of a run take at most 2% of its expected time; in a shorter run
// seconds, and at most 15%. Work is counted, not timed, so that results repeat.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/forces/force_error.hpp"
#include "host/particles/particle_system.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Facts about a run before it begins.
struct ExpectedRun {
  std::uint64_t particles = 0;
  double evaluations = 0;  ///< evaluations of all forces
  std::uint64_t outputs = 1;
  bool periodic = false;   ///< the reference is an Ewald sum
  bool on_device = false;  ///< which also makes the double-precision sums of a sample
};

struct MeasurementBudget {
  std::uint32_t error_sample = 0;        ///< particles compared with direct summation at each output; 0: too costly
  std::uint32_t final_error_sample = 0;  ///< and at the last output
  std::uint32_t census_epochs = 0;       ///< at which effective interactions are counted
};

/// A 99th percentile needs at least this many particles (analysis/forces/force_error.hpp), so larger samples are not
/// taken.
inline constexpr std::uint32_t full_error_sample = ErrorPercentiles::least_for_p99;

MeasurementBudget measurement_budget(const ExpectedRun& run);

/// Roughly how often a tree run, periodic or not, evaluates all forces from `first` (a or t) on.
double expected_evaluations(const Parameters& parameters, Frame frame, double first, bool periodic);

/// Sets output.error_sample, output.final_error_sample and output.census_epochs unless the parameters give them.
void settle_measurements(Parameters& parameters, const ExpectedRun& run);

/// One line that says what the run will measure.
std::string measurements_text(const Parameters& parameters);

}  // namespace multiwalk
