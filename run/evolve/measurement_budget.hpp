// SPDX-License-Identifier: GPL-3.0-or-later
// How much a run measures of itself when nobody says: together with the tuner's trials (host/force/size_tuner.hpp) at
// most 2 % of the time it is expected to take, or a few seconds. Counted, not timed, so that results repeat.
#pragma once

#include <cstdint>
#include <string>

#include "host/particles/particle_system.hpp"
#include "run/parameters/parameters.hpp"

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
  std::uint32_t error_sample = 0;   ///< particles compared with direct summation at each output; 0: too few to afford
  std::uint32_t census_epochs = 0;  ///< at which effective interactions are counted
};

/// A 99th percentile needs this many particles (analysis/forces/force_error.hpp); more are not taken.
inline constexpr std::uint32_t full_error_sample = 1000;

MeasurementBudget measurement_budget(const ExpectedRun& run);

/// Evaluations of all forces that a run with trees makes from `first` (a or t) on, roughly.
double expected_evaluations(const Parameters& parameters, Frame frame, double first);

/// Sets output.error_sample and output.census_epochs where the parameters leave them open.
void settle_measurements(Parameters& parameters, const ExpectedRun& run);

/// What the run measures of itself, in one line.
std::string measurements_text(const Parameters& parameters);

}  // namespace multiwalk
