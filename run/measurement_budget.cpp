// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/measurement_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace multiwalk {

namespace {

// In pairs of a walk, which are single precision on all cores or on a device.
constexpr double pairs_per_particle = 2500;  // of an evaluation
constexpr double exact_pair = 4;             // double precision
constexpr double ewald_pair = 130;           // interpolated from a table of the lattice (host/force/ewald.hpp)
constexpr double device_pair = 1.2;          // either, beside a device's walks
constexpr double census_of_device = 2.5;     // evaluations that a census takes, whose tree the host builds
constexpr double share_of_errors = 0.007, share_of_census = 0.008;  // of the run; 0.005 more are the tuner's
constexpr double affordable = 4e9, affordable_on_device = 6e11;     // pairs, whatever the run: about a second
constexpr std::uint32_t smallest_sample = 10, most_epochs = 4;

}  // namespace

MeasurementBudget measurement_budget(const ExpectedRun& run) {
  const auto n = static_cast<double>(std::max<std::uint64_t>(run.particles, 1));
  const double evaluation = n * pairs_per_particle, always = run.on_device ? affordable_on_device : affordable;
  const auto pairs_for = [&](double share) { return std::max(share * run.evaluations * evaluation, always); };
  const double census = evaluation * (run.on_device ? census_of_device : 1);
  MeasurementBudget budget;
  budget.census_epochs =
      static_cast<std::uint32_t>(std::min<double>(std::floor(pairs_for(share_of_census) / census), most_epochs));
  const double per_particle = n * (run.on_device ? device_pair : run.periodic ? ewald_pair : exact_pair);
  const auto times =
      static_cast<double>(std::max<std::uint64_t>(run.outputs, 1) + (run.periodic ? 0 : budget.census_epochs));
  const double most = pairs_for(share_of_errors) / (times * per_particle);
  if (most >= smallest_sample) {
    budget.error_sample = static_cast<std::uint32_t>(std::min<double>(most, full_error_sample));
  }
  return budget;
}

double expected_evaluations(const Parameters& p, Frame frame, double first) {
  constexpr double unknown = 500, block_in_ln_a = 0.03, steps_of_block = 2;
  const bool comoving = frame == Frame::comoving;
  const bool blocks =
      p.time.steps == Steps::block || (p.time.steps == Steps::automatic && p.model.kind == ModelKind::box);
  double steps = unknown;
  if (comoving && first > 0) {
    steps = std::log(1 / (1 + p.time.z_end) / first) / std::min(p.time.max_dlna, block_in_ln_a);
  } else if (!comoving && p.time.max_dt > 0) {
    steps = (p.time.t_end - first) / p.time.max_dt;
  }
  if (p.time.max_steps > 0) steps = std::min(steps, static_cast<double>(p.time.max_steps));
  return std::max(1.0, steps * (blocks ? steps_of_block : 1));
}

void settle_measurements(Parameters& p, const ExpectedRun& run) {
  const MeasurementBudget budget = measurement_budget(run);
  if (!p.given.contains("output.error_sample")) p.output.error_sample = budget.error_sample;
  if (!p.given.contains("output.census_epochs")) p.output.census_epochs = budget.census_epochs;
}

std::string measurements_text(const Parameters& p) {
  const std::uint32_t sample = p.output.error_sample, epochs = p.output.census_epochs;
  const auto unasked = [&](const char* key) { return p.given.contains(key) ? "" : ", as they would outweigh the run"; };
  std::string text = "measurements: ";
  text += sample > 0 ? fmt::format("force errors of {} particles at each output", sample)
                     : fmt::format("no force errors{} (output.error_sample)", unasked("output.error_sample"));
  text += epochs > 0
              ? fmt::format("; effective interactions at {} epoch{}", epochs, epochs > 1 ? "s" : "")
              : fmt::format("; no effective interactions{} (output.census_epochs)", unasked("output.census_epochs"));
  return text;
}

}  // namespace multiwalk
