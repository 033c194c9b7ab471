// SPDX-License-Identifier: GPL-3.0-or-later
// Outputs that were asked for when their time had passed.
#pragma once

#include <string>

#include "run/driver/running_outputs.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// Of times up to `now` those outputs that the record lacks: "outputs at z = 9, 5; density grids at z = 3"; empty if it
/// has them all.
std::string passed_outputs(const OutputSchedule& schedule, const RunningOutputs& running, const RunRecord& record,
                           double now);

/// The number after the last one of the files STEMnumber... that the record has; 0: none.
std::size_t next_number(const RunRecord& record, const std::string& stem);

}  // namespace multiwalk
