// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/pages/direct_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/pages/page_style.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

ChartAxis time_axis() {
  return {"time (model units)", false, {}, false};
}

std::vector<double> numbers(const json& list) {
  std::vector<double> values;
  for (const json& value : list) values.push_back(number_or_nan(value));
  return values;
}

double length_of(const json& vector) {
  return std::hypot(number_or_nan(vector.at(0)), number_or_nan(vector.at(1)), number_or_nan(vector.at(2)));
}

ReportChart radii_chart(const json& diagnostics) {
  ReportChart out{"Lagrangian radii",
                  {"Radii that hold fixed fractions of the mass", time_axis(), {"radius", true, {}, false}, {}, false},
                  "Each line is the distance from the centre of density within which that part of the mass lies; "
                  "<i>core</i> is the core radius (McMillan, Hut &amp; Makino 1990). In equilibrium the lines are "
                  "level; two-body encounters let the inner ones sink and the outer ones rise."};
  const std::vector<double> time = numbers(diagnostics.at("time"));
  const std::vector<double> fractions = numbers(diagnostics.at("lagrangian_fractions"));
  for (std::size_t f = 0; f < fractions.size(); ++f) {
    std::vector<double> radius;
    for (const json& row : diagnostics.at("lagrangian_radii")) radius.push_back(number_or_nan(row.at(f)));
    out.chart.series.push_back(
        {fmt::format("{:g}%", 100 * fractions[f]), static_cast<int>(f) % palette_size, time, std::move(radius)});
  }
  out.chart.series.push_back({"core", 9, time, numbers(diagnostics.at("core_radius")), {}, Mark::line, true});
  return out;
}

ReportChart core_chart(const json& diagnostics) {
  const ChartSeries density{"", 3, numbers(diagnostics.at("time")), numbers(diagnostics.at("core_density"))};
  return {"Density of the core",
          {"Core density against time", time_axis(), {"core density", true, {}, false}, {density}, false},
          "The density about each body, from its six nearest neighbours, averaged with itself as the weight (Casertano "
          "&amp; Hut 1985). In core collapse it grows without bound until binaries stop it."};
}

ReportChart angular_momentum_chart(const json& diagnostics) {
  const json& momenta = diagnostics.at("angular_momentum");
  ReportChart out{
      "Angular momentum",
      {"Change of the angular momentum", time_axis(), {"|L - L(0)|", true, {}, false}, {}, false},
      "The total angular momentum about the origin should not change; the curve is how far it has moved, in "
      "the model's units."};
  std::vector<double> change;
  for (const json& momentum : momenta) {
    json difference = json::array();
    for (std::size_t axis = 0; axis < 3; ++axis)
      difference.push_back(number_or_nan(momentum.at(axis)) - number_or_nan(momenta.front().at(axis)));
    change.push_back(length_of(difference));
  }
  out.chart.series.push_back({"", 5, numbers(diagnostics.at("time")), std::move(change)});
  return out;
}

/// value(step, length of its span of time) of every step but the first.
template <class Value>
ChartSeries per_span(const json& report, const std::string& name, int colour, Value value) {
  ChartSeries series{name, colour, {}, {}};
  const json& steps = report.at("steps");
  for (std::size_t s = 1; s < steps.size(); ++s) {
    const double time = number_or_nan(steps[s].at("time"));
    series.x.push_back(time);
    series.y.push_back(value(steps[s], time - number_or_nan(steps[s - 1].at("time"))));
  }
  return series;
}

double seconds_of(const json& step) {
  return number_or_nan(step.at("seconds").at("total"));
}

ReportChart effort_chart(const json& report) {
  const auto steps = [](const json& s, double span) { return number_or_nan(s.at("block").at("substeps")) / span; };
  const auto forces = [&](const json& s, double span) {
    return number_or_nan(s.at("block").at("evaluations")) / number_or_nan(report.at("particles")) / span;
  };
  const ChartSeries system = per_span(report, "of the system", 0, steps);
  const ChartSeries body = per_span(report, "of a body, mean", 3, forces);
  return {
      "Steps in a unit of time",
      {"Steps of the system and of a body in a unit of time",
       time_axis(),
       {"steps per unit of time", true, {}, false},
       {system, body},
       false},
      "With block steps the system steps as often as its shortest steps ask for, but each time only the bodies whose "
      "steps end: the lower line is what that saves."};
}

ReportChart speed_chart_of_pairs(const json& report) {
  const double operations = number_or_nan(report.at("operations_per_pair"));
  const auto speed = [&](const json& s, double) {
    return 1e-9 * operations * number_or_nan(s.at("raw_pairs")) / seconds_of(s);
  };
  const ChartSeries speeds = per_span(report, "", 0, speed);
  return {"Sustained speed",
          {"Gflops between diagnostics", time_axis(), {"Gflops", true, {}, false}, {speeds}, false},
          "Pairs per second times 38 operations, or 57 with the jerk, by convention, over the whole wall time. Small "
          "blocks of steps leave a processor idle."};
}

ReportChart seconds_chart(const json& report) {
  const auto seconds = [](const json& s, double span) { return seconds_of(s) / span; };
  const ChartSeries spans = per_span(report, "", 2, seconds);
  return {"Wall time of a unit of time",
          {"Seconds of a unit of time", time_axis(), {"seconds", true, {}, false}, {spans}, false},
          "How many seconds the run took for one unit of the model's time."};
}

/// No series without block steps.
ReportChart rung_chart_of_bodies(const json& report) {
  ReportChart out{"Bodies by time step",
                  {"Share of the bodies on each rung", time_axis(), {"share of the bodies", false, {}, true}, {}, true},
                  "A body on rung <i>k</i> steps by a block / 2<sup><i>k</i></sup>; a block leads from one of the "
                  "diagnostics to the next. <i>rungs.csv</i> has the numbers."};
  std::size_t rungs = 0;
  const json& steps = report.at("steps");  // the first is the start, without steps
  for (std::size_t s = 1; s < steps.size(); ++s) rungs = std::max(rungs, steps[s].at("block").at("rungs").size());
  for (std::size_t k = 0; k < rungs; ++k) {
    const auto share = [&](const json& step, double) {
      const json& bodies = step.at("block").at("rungs");
      return k < bodies.size() ? bodies[k].get<double>() / number_or_nan(report.at("particles")) : 0.0;
    };
    out.chart.series.push_back(per_span(report, fmt::format("rung {}", k), static_cast<int>(k) % palette_size, share));
  }
  return out;
}

}  // namespace

std::vector<ReportChart> system_charts(const json& report) {
  const json& diagnostics = report.at("diagnostics");
  std::vector<ReportChart> charts{radii_chart(diagnostics)};
  const std::vector<double> densities = numbers(diagnostics.at("core_density"));
  if (std::ranges::any_of(densities, [](double d) { return d > 0; })) charts.push_back(core_chart(diagnostics));
  return charts;
}

std::vector<ReportChart> conservation_charts(const json& report) {
  return {energy_chart(report), angular_momentum_chart(report.at("diagnostics"))};
}

std::vector<ReportChart> direct_cost_charts(const json& report) {
  std::vector<ReportChart> charts{effort_chart(report), speed_chart_of_pairs(report), seconds_chart(report)};
  ReportChart rungs = rung_chart_of_bodies(report);
  if (!rungs.chart.series.empty()) charts.push_back(std::move(rungs));
  return charts;
}

}  // namespace multiwalk
