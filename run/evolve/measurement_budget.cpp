// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/measurement_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/evolve/box_forces.hpp"

namespace multiwalk {

namespace {

// Costs are in units of a walk's pair, in single precision on all cores or on a device: one core evaluates 2.4e9 pairs
// per second, an H200 6e11.
constexpr double pairs_per_particle = 2500;                         // in one evaluation
constexpr double share_of_errors = 0.006, share_of_census = 0.009;  // of the run; the tuner may use another 0.005
constexpr std::uint32_t smallest_sample = 10, most_epochs = 4;
constexpr double long_list = 1e4;  // entries in a monopole walk of equal error

/// Costs of measurements on a machine.
struct MeasurementPrices {
  double exact, ewald;                          ///< a pair in double precision, in a vacuum and in a box
  double affordable_errors, affordable_census;  ///< in any run: one or two seconds of two cores or of a device
  double lists, search;  ///< of a census: its lists, and for each target the walks of equal error
  double evaluations;    ///< evaluations of all forces that take as long as building a census's tree
};
constexpr MeasurementPrices host_prices{2, 130, 5e9, 7.5e9, 5e8, 6.7e6, 0.25};
// Sums run on the device; lists, walks and tree on its host.
constexpr MeasurementPrices device_prices{1.2, 25, 6e11, 3e11, 1.35e10, 1.9e8, 3};

}  // namespace

MeasurementBudget measurement_budget(const ExpectedRun& run) {
  const MeasurementPrices& prices = run.on_device ? device_prices : host_prices;
  const auto n = static_cast<double>(std::max<std::uint64_t>(run.particles, 1));
  const double evaluation = n * pairs_per_particle, whole = run.evaluations * evaluation;
  const double for_errors = std::max(share_of_errors * whole, prices.affordable_errors);
  const double for_census = std::max(share_of_census * whole, prices.affordable_census);
  MeasurementBudget budget;
  for (std::uint32_t epochs = most_epochs + 1; epochs-- > 0;) {
    // In a vacuum each epoch makes new sums over its sample.
    const auto times = static_cast<double>(std::max<std::uint64_t>(run.outputs + (run.periodic ? 0 : epochs), 1));
    const double most = for_errors / (times * n * (run.periodic ? prices.ewald : prices.exact));
    const double sample = most < smallest_sample ? 0 : std::min<double>(std::floor(most), full_error_sample);
    const double census =
        prices.lists + prices.search * sample * std::min(1.0, n / long_list) + prices.evaluations * evaluation;
    budget = {static_cast<std::uint32_t>(sample), epochs};
    if (epochs * census <= for_census) break;
  }
  return budget;
}

double expected_evaluations(const Parameters& p, Frame frame, double first, bool periodic) {
  constexpr double unknown = 500, evaluations_of_block = 2;
  const bool comoving = frame == Frame::comoving;
  double steps = unknown;
  if (comoving && first > 0) {
    steps = std::log(1 / (1 + p.time.z_end) / first) / std::min(p.time.max_dlna, longest_block);
  } else if (!comoving && p.time.max_dt > 0) {
    steps = (p.time.t_end - first) / p.time.max_dt;
  }
  if (p.time.max_steps > 0) steps = std::min(steps, static_cast<double>(p.time.max_steps));
  return std::max(1.0, steps * (takes_block_steps(p, periodic) ? evaluations_of_block : 1));
}

void settle_measurements(Parameters& p, const ExpectedRun& run) {
  const MeasurementBudget budget = measurement_budget(run);
  if (!p.given.contains("output.error_sample")) p.output.error_sample = budget.error_sample;
  if (!p.given.contains("output.census_epochs")) p.output.census_epochs = budget.census_epochs;
}

std::string measurements_text(const Parameters& p) {
  const std::uint32_t sample = p.output.error_sample, epochs = p.output.census_epochs;
  const auto unasked = [&](const char* key) {
    return p.given.contains(key) ? "" : ", which would take too much of the run";
  };
  std::string text = "measurements: ";
  text += sample > 0 ? fmt::format("force errors of {} particles at each output", sample)
                     : fmt::format("no force errors{} (output.error_sample)", unasked("output.error_sample"));
  text += epochs > 0
              ? fmt::format("; effective interactions at {} epoch{}", epochs, epochs > 1 ? "s" : "")
              : fmt::format("; no effective interactions{} (output.census_epochs)", unasked("output.census_epochs"));
  return text;
}

}  // namespace multiwalk
