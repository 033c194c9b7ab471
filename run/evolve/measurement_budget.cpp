// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/measurement_budget.hpp"

#include <algorithm>
#include <cmath>

namespace multiwalk {

namespace {

// In pairs of a walk, which are single precision on all cores or on a device.
constexpr double pairs_per_particle = 2500;  // of an evaluation
constexpr double exact_pair = 4;             // double precision
constexpr double ewald_pair = 130;           // interpolated from a table of the lattice (host/force/ewald.hpp)
constexpr double device_pair = 1.5;          // either, beside a device's walks
constexpr double census_of_device = 5;       // evaluations that a census takes, whose tree the host builds
constexpr double share = 0.01;               // of the run for errors, and as much for the census
constexpr double always_affordable = 4e9;    // pairs: a second or two
constexpr std::uint32_t smallest_sample = 10, fewest_epochs = 2, most_epochs = 4;

}  // namespace

MeasurementBudget measurement_budget(const ExpectedRun& run) {
  const auto n = static_cast<double>(std::max<std::uint64_t>(run.particles, 1));
  const double whole = run.evaluations * n * pairs_per_particle;
  const double epochs = share * run.evaluations / (run.on_device ? census_of_device : 1);
  MeasurementBudget budget;
  budget.census_epochs = static_cast<std::uint32_t>(std::clamp<double>(std::floor(epochs), fewest_epochs, most_epochs));
  const double per_particle = n * (run.on_device ? device_pair : run.periodic ? ewald_pair : exact_pair);
  const auto times = static_cast<double>(run.outputs + (run.periodic ? 0 : budget.census_epochs));
  const double most = std::max(share * whole, always_affordable) / (times * per_particle);
  budget.error_sample = static_cast<std::uint32_t>(std::clamp<double>(most, smallest_sample, full_error_sample));
  return budget;
}

}  // namespace multiwalk
