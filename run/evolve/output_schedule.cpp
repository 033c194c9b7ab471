// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/output_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"
#include "host/cosmology/expansion.hpp"

namespace multiwalk {

namespace {

bool nearly_equal(double a, double b) {
  return std::fabs(a - b) <= 1e-12 * std::max(std::fabs(a), std::fabs(b));
}

/// `count` values from `first` to `last`, both included (one: the last), at equal steps or equal ratios.
void add_evenly(std::vector<double>& times, std::uint32_t count, double first, double last, bool by_ratio) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const double done = count > 1 ? static_cast<double>(i) / (count - 1) : 1;
    const double between = by_ratio ? first * std::pow(last / first, done) : first + done * (last - first);
    times.push_back(std::clamp(between, first, last));
  }
}

}  // namespace

OutputSchedule::OutputSchedule(std::vector<double> requested, double first, double last)
    : first_(first), times_(std::move(requested)) {
  if (!(last >= first)) throw InputError(fmt::format("the run would end at {} before it starts at {}", last, first));
  for (double& time : times_) {
    if (nearly_equal(time, first)) time = first;
    if (nearly_equal(time, last)) time = last;
    if (!(time >= first && time <= last))
      throw InputError(fmt::format("output time {} is outside the run, which goes from {} to {}", time, first, last));
  }
  times_.push_back(last);
  std::ranges::sort(times_);
  const auto repeats = std::ranges::unique(times_, nearly_equal);
  times_.erase(repeats.begin(), repeats.end());
}

OutputSchedule OutputSchedule::comoving(const Parameters& parameters, double a_start) {
  std::vector<double> expansion_factors;
  for (const double z : parameters.output.redshifts) {
    const double a = 1 / (1 + z);
    if (a < a_start && !nearly_equal(a, a_start))
      throw InputError(
          fmt::format("output.redshifts: {} lies before the start of the run at z = {}", z, 1 / a_start - 1));
    expansion_factors.push_back(a);
  }
  const double a_end = 1 / (1 + parameters.time.z_end);
  if (a_end < a_start && !nearly_equal(a_end, a_start))
    throw InputError(fmt::format("time.z_end = {} lies before the start of the run at z = {}", parameters.time.z_end,
                                 1 / a_start - 1));
  Expansion(parameters.cosmology).require_expansion(a_end);
  const double last = std::max(a_start, a_end);
  add_evenly(expansion_factors, parameters.output.evenly_spaced, a_start, last, true);
  return {std::move(expansion_factors), a_start, last};
}

OutputSchedule OutputSchedule::newtonian(const Parameters& parameters, double t_start) {
  const double t_end = parameters.time.t_end;
  if (t_end < t_start)
    throw InputError(fmt::format("time.t_end = {} lies before the start of the run at t = {}", t_end, t_start));
  std::vector<double> times = parameters.output.times;
  add_evenly(times, parameters.output.evenly_spaced, t_start, t_end, false);
  return {std::move(times), t_start, t_end};
}

void OutputSchedule::add_stop(double time) {
  const auto output = std::ranges::find_if(times_, [time](double t) { return nearly_equal(t, time); });
  if (output != times_.end() || nearly_equal(time, first_)) return;
  if (!(time <= last())) throw InputError(fmt::format("a stop at {} is after the end of the run at {}", time, last()));
  stops_.insert(std::ranges::upper_bound(stops_, time), time);
}

std::optional<double> OutputSchedule::next(double after) const {
  const auto output = std::ranges::upper_bound(times_, after), stop = std::ranges::upper_bound(stops_, after);
  if (stop != stops_.end() && (output == times_.end() || *stop < *output)) return *stop;
  return output == times_.end() ? std::nullopt : std::optional<double>(*output);
}

std::optional<std::size_t> OutputSchedule::due(double now) const {
  const auto found = std::ranges::lower_bound(times_, now);
  if (found == times_.end() || *found != now) return std::nullopt;
  return static_cast<std::size_t>(found - times_.begin());
}

double OutputSchedule::end_of_step(double now, double proposed) const {
  const std::optional<double> output = next(now);
  if (!output) return proposed;
  const double remaining = *output - now;
  const double step = proposed - now;
  if (step >= remaining * (1 - 1e-10)) return *output;
  return 2 * step > remaining ? now + remaining / 2 : proposed;
}

}  // namespace multiwalk
