// SPDX-License-Identifier: GPL-3.0-or-later
// A report cut to the size of a page, however long the run was.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

namespace multiwalk {

inline constexpr std::size_t most_rows_of_page = 300;

/// A report.json's content with at most about most_rows_of_page rows of steps, energy errors and diagnostics. All
/// numbers except times and redshifts are rounded to five digits. Rows that follow each other are summed up in one,
/// which counts their steps in `steps_covered`. A row in whose steps outputs were written, forces sampled or
/// interactions counted has `measured` true and, if there are few such rows, stays alone. Phases that took no time,
/// figures over ranks and a row's totals in three parts are left out. Throws json::exception if it is not a report.
nlohmann::json short_report(nlohmann::json report);

}  // namespace multiwalk
