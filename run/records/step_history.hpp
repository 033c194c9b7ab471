// SPDX-License-Identifier: GPL-3.0-or-later
// Any number of steps of a run in a bounded number of rows.
#pragma once

#include <cstddef>

#include "run/records/run_record.hpp"

namespace multiwalk {

inline constexpr std::size_t most_step_rows = 2048;

/// Appends a step to the record. Beyond most_step_rows, neighbouring rows are merged in pairs, so that rows cover 2, 4,
/// 8, ... steps each; the first and the last row always cover one. Counts, seconds and joules are added, speeds and
/// imbalances averaged over time, and the largest energy error is kept.
void add_step(RunRecord& record, StepRecord step);

}  // namespace multiwalk
