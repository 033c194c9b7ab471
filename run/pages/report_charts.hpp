// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of report.html, made from report.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "run/pages/chart.hpp"

namespace multiwalk {

/// A chart with its heading and what a newcomer needs to read it (HTML).
struct ReportChart {
  std::string title;
  Chart chart;
  std::string how_to_read;
};

/// Charts of what the run cost: time by phase, speed, interactions, their ratio.
std::vector<ReportChart> cost_charts(const nlohmann::json& report);

/// Charts of how right it is: force error, energy, time steps.
std::vector<ReportChart> accuracy_charts(const nlohmann::json& report);

/// Energy conservation alone.
ReportChart energy_chart(const nlohmann::json& report);

/// A panel of the page for each chart, with what helps to read it.
std::string chart_panels(const std::vector<ReportChart>& charts);

/// Where a row's epoch stands on the time axis: ln a for comoving runs, else time; and what it is called.
double epoch(const nlohmann::json& report, const nlohmann::json& row);
std::string epoch_text(const nlohmann::json& report, const nlohmann::json& row);
/// That axis, with round redshifts.
ChartAxis epoch_axis(const nlohmann::json& report);

/// Steps that a row of the record sums up; 1 in reports of earlier versions.
double steps_covered(const nlohmann::json& row);

/// A report's seconds by phase; phases that it lacks are 0.
PhaseSeconds phase_seconds(const nlohmann::json& seconds);

/// A number of the report; NaN for null and for anything else.
double number_or_nan(const nlohmann::json& value);
/// The low (0) or high (1) end of an interval [low, high] under `key`; NaN: it is not there.
double end_of_interval(const nlohmann::json& row, const char* key, std::size_t end);
/// One such number of every row.
std::vector<double> column(const nlohmann::json& rows, const char* key);

}  // namespace multiwalk
