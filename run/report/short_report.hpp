// SPDX-License-Identifier: GPL-3.0-or-later
// A report as its page holds it: small enough for one, whatever the length of the run.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

namespace multiwalk {

inline constexpr std::size_t most_rows_of_page = 300;

/// A report.json's content with at most about most_rows_of_page rows of steps, energy errors and diagnostics, their
/// numbers but times and redshifts cut to five digits. Rows that follow each other are summed up in one,
/// `steps_covered` of it says how many steps that are. `measured` is true in rows in whose steps outputs were written,
/// forces sampled or interactions counted, which stay alone. Seconds by phase of zero, figures over ranks and totals of
/// a row's phases in parts are left out. Throws json::exception if it is no report.
nlohmann::json short_report(nlohmann::json report);

}  // namespace multiwalk
