// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a run in a bounded number of rows, whatever their number.
#pragma once

#include <cstddef>

#include "run/records/run_record.hpp"

namespace multiwalk {

inline constexpr std::size_t most_step_rows = 2048;

/// Appends a step to the record's. Beyond most_step_rows neighbours are merged in pairs, so that rows cover 2, 4, 8,
/// ... steps each, but the first and the last row always cover one. Counts, seconds and joules add up; speeds and
/// imbalances are means over the time; of the energy errors the largest is kept.
void add_step(RunRecord& record, StepRecord step);

}  // namespace multiwalk
