// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a direct run's report.html, made from report.json.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "run/pages/report_charts.hpp"

namespace multiwalk {

/// Lagrangian radii, core radius and core density against time; only the radii that mean something for so few bodies.
std::vector<ReportChart> system_charts(const nlohmann::json& report);

/// Energy and angular momentum.
std::vector<ReportChart> conservation_charts(const nlohmann::json& report);

/// Seconds and steps of a unit of time, speed, bodies by rung.
std::vector<ReportChart> direct_cost_charts(const nlohmann::json& report);

}  // namespace multiwalk
