// SPDX-License-Identifier: GPL-3.0-or-later
// report.json and the one-page report.html of a run, from the same record.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "run/parameters/parameters.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// The content of report.json.
nlohmann::json report_json(const RunRecord& record, const Parameters& parameters);

/// The whole page from report.json's contents; images are read from `directory` and embedded.
std::string report_html(const nlohmann::json& report, const std::string& directory);

/// Writes report.json and report.html into `directory` (aside, then renamed).
void write_report(const std::string& directory, const RunRecord& record, const Parameters& parameters);

/// Rebuilds report.html from an existing directory's report.json, for `multiwalk report RUN_DIR`. Throws InputError if
/// that is missing, damaged or not a report.
void rebuild_report(const std::string& directory);

}  // namespace multiwalk
