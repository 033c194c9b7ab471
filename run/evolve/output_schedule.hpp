// SPDX-License-Identifier: GPL-3.0-or-later
// When a run writes its outputs, and how a step is shortened to land on them exactly.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Sorted output times: expansion factors of a comoving run or model times. The last time of the run is always one of
/// them; the first only if asked for. It has no state, so nothing needs restoring after a restart.
class OutputSchedule {
 public:
  /// Requested times in any order, repeats allowed; those within 1e-12 of `first` or `last` become exactly equal to it.
  /// Throws InputError if one lies outside [first, last] or last < first.
  OutputSchedule(std::vector<double> requested, double first, double last);
  /// From `a_start` to 1 / (1 + z_end).
  static OutputSchedule comoving(const Parameters& parameters, double a_start);
  /// From `t_start` to t_end.
  static OutputSchedule newtonian(const Parameters& parameters, double t_start);

  [[nodiscard]] std::span<const double> times() const { return times_; }
  [[nodiscard]] double last() const { return times_.back(); }
  /// Steps end exactly at this time too, without an output, unless it is the first. Throws InputError if it is later
  /// than the last.
  void add_stop(double time);
  /// First output or stop later than `after`; none at or past the end.
  [[nodiscard]] std::optional<double> next(double after) const;
  /// Number of the output due exactly at `now` (bitwise equal), counted from 0.
  [[nodiscard]] std::optional<std::size_t> due(double now) const;
  /// The time at which a step from `now` that would end at `proposed` has to end: exactly at the next output or stop if
  /// it would pass or nearly reach that, halfway to it if less than two steps remain, so that no tiny step is left
  /// over.
  [[nodiscard]] double end_of_step(double now, double proposed) const;

 private:
  double first_;
  std::vector<double> times_, stops_;
};

}  // namespace multiwalk
