// SPDX-License-Identifier: GPL-3.0-or-later
// Outputs that a run writes at times of their own, not at its output times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "run/evolve/output_schedule.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// The times at which an output writes files, and how their names begin.
struct OwnTimes {
  std::string what = {}, stem = {};
  std::vector<double> times = {};  ///< expansion factors at which steps end; none: it writes all the time
  std::vector<double> about = {};  ///< those that the first step after them serves
};

/// Of times up to `now` those outputs that the record lacks: "outputs at z = 9, 5; density grids at z = 3"; empty if it
/// has them all.
std::string passed_outputs(const OutputSchedule& schedule, std::span<const OwnTimes> own, const RunRecord& record,
                           double now);

/// The number after the last one of the files STEMnumber... that the record has; 0: none.
std::size_t next_number(const RunRecord& record, const std::string& stem);

/// Throws SharedError if one of these redshifts lies before the start of the run, at `first_time`.
void require_in_run(const char* name, const std::vector<double>& redshifts, double first_time);

}  // namespace multiwalk
