// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/measurement_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "run/evolve/box_forces.hpp"

namespace multiwalk {

namespace {

// Costs are in units of a walk's pair, in single precision on all cores or on a device: one core evaluates 2.4e9 pairs
// per second, an H200 6e11.
constexpr double pairs_per_particle = 2500;                         // in one evaluation
constexpr double share_of_errors = 0.006, share_of_census = 0.009;  // of the run; the tuner may use another 0.005
constexpr double most_of_errors = 0.075, most_of_census = 0.075;    // of a run that is shorter than the affordable
constexpr std::uint32_t smallest_sample = 10, most_epochs = 4;
constexpr double long_list = 1e4;  // entries in a monopole walk of equal error

/// Costs of measurements on a machine.
struct MeasurementPrices {
  double exact, ewald;                          ///< a pair in double precision, in a vacuum and in a box
  double together;                              ///< particles of a sample that take as long as one
  double copy, waves;                           ///< for each particle of the run: before sums, and more of it in a box
  double affordable_errors, affordable_census;  ///< in a whole run: seconds of two cores or of a device
  double trifle;                                ///< worth no thought
  double lists, search;  ///< of a census: its lists, and for each target the walks of equal error
  double evaluations;    ///< evaluations of all forces that take as long as building a census's tree
};
constexpr MeasurementPrices host_prices{2, 130, 1, 0, 0, 5e9, 7.5e9, 2.5e8, 5e8, 6.7e6, 0.25};
// Sums run on the device, in blocks of targets (device/direct/exact_pulls.cu); lists, walks and tree on its host.
constexpr MeasurementPrices device_prices{1.2, 25, 128, 1000, 3000, 1e13, 3e11, 6e10, 1.35e10, 1.9e8, 3};

/// Work that measurements may take in the whole run. `trifle`: a tenth of a second, in any run.
double allowance(double whole, double share, double most, double affordable, double trifle) {
  return std::max({share * whole, std::min(affordable, most * whole), trifle});
}

/// The cost of samples of one run.
struct SampleCost {
  const MeasurementPrices& prices;
  double before;       ///< any pair is summed
  double of_together;  ///< targets that are summed together

  SampleCost(const MeasurementPrices& of, double particles, bool periodic)
      : prices(of),
        before(particles * (of.copy + (periodic ? of.waves : 0))),
        of_together(particles * of.together * (periodic ? of.ewald : of.exact)) {}

  [[nodiscard]] double of(double sample) const {
    return sample > 0 ? before + std::ceil(sample / prices.together) * of_together : 0;
  }
  /// The largest sample that `times` outputs can have, 0 if that is too small to be of use.
  [[nodiscard]] double largest(double work, double times) const {
    const double sums = std::floor((work / std::max(times, 1.0) - before) / of_together);
    const double sample = std::min<double>(sums * prices.together, full_error_sample);
    return sample < smallest_sample ? 0 : sample;
  }
};

/// (at outputs, at the last one) What is worth most: a 99% error at the end, then errors at all outputs, then any at
/// the end. `sums`: measurements with sums of their own, besides those of outputs.
std::pair<double, double> choose_samples(const SampleCost& cost, double work, double outputs, double sums) {
  const double rest = work - cost.of(full_error_sample), others = outputs - 1 + sums;
  if (rest >= 0) return {others > 0 ? cost.largest(rest, others) : full_error_sample, full_error_sample};
  const double equal = cost.largest(work, outputs + sums);
  return {equal, equal > 0 ? equal : cost.largest(work, 1)};
}

}  // namespace

MeasurementBudget measurement_budget(const ExpectedRun& run) {
  const MeasurementPrices& prices = run.on_device ? device_prices : host_prices;
  const auto n = static_cast<double>(std::max<std::uint64_t>(run.particles, 1));
  const double evaluation = n * pairs_per_particle, whole = run.evaluations * evaluation;
  const double for_errors = allowance(whole, share_of_errors, most_of_errors, prices.affordable_errors, prices.trifle);
  const double for_census = allowance(whole, share_of_census, most_of_census, prices.affordable_census, prices.trifle);
  const SampleCost cost(prices, n, run.periodic);
  const auto outputs = static_cast<double>(std::max<std::uint64_t>(run.outputs, 1));
  MeasurementBudget budget;
  for (std::uint32_t epochs = most_epochs + 1; epochs-- > 0;) {
    // In a vacuum each epoch makes new sums over its sample.
    const auto [sample, at_end] = choose_samples(cost, for_errors, outputs, run.periodic ? 0 : epochs);
    const double census =
        prices.lists + prices.search * sample * std::min(1.0, n / long_list) + prices.evaluations * evaluation;
    budget = {static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(at_end), epochs};
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
  if (!p.given.contains("output.error_sample")) {
    p.output.error_sample = budget.error_sample;
    if (!p.given.contains("output.final_error_sample")) p.output.final_error_sample = budget.final_error_sample;
  }
  if (!p.given.contains("output.census_epochs")) p.output.census_epochs = budget.census_epochs;
}

std::string measurements_text(const Parameters& p) {
  const std::uint32_t sample = p.output.error_sample, at_end = p.output.final_error_sample;
  const std::uint32_t epochs = p.output.census_epochs;
  const auto unasked = [&](const char* key) {
    return p.given.contains(key) ? "" : ", which would take too much of the run";
  };
  std::string text = "measurements: ";
  if (sample == 0 && at_end == 0) {
    text += fmt::format("no force errors{} (output.error_sample)", unasked("output.error_sample"));
  } else if (sample == at_end) {
    text += fmt::format("force errors of {} particles at each output", sample);
  } else {
    text += fmt::format("force errors of {} particles at the last output and of {} at others", at_end, sample);
  }
  text += epochs > 0
              ? fmt::format("; effective interactions at {} epoch{}", epochs, epochs > 1 ? "s" : "")
              : fmt::format("; no effective interactions{} (output.census_epochs)", unasked("output.census_epochs"));
  return text;
}

}  // namespace multiwalk
