// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of `bench strategies`, in the style of report.html.
#include <fmt/format.h>

#include "run/bench/strategy_bench.hpp"
#include "run/pages/page_style.hpp"
#include "run/pages/report_charts.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

std::vector<double> error_column(const json& rows, const char* key) {
  std::vector<double> values;
  for (const json& row : rows) values.push_back(number_or_nan(row.at("error").at(key)));
  return values;
}

std::vector<double> ends_of_intervals(const json& rows, const char* key, std::size_t end) {
  std::vector<double> values;
  for (const json& row : rows) values.push_back(end_of_interval(row.at("error"), key, end));
  return values;
}

/// One point per strategy that was measured, at its place in the list.
ChartSeries speeds(const json& comparison, const std::string& problem, int colour) {
  ChartSeries series{problem, colour, {}, {}, {}, Mark::points, false};
  for (const json& row : comparison.at("strategies")) {
    if (row.at("problem") != problem || !row.at("measured").get<bool>()) continue;
    const auto same = [&](const Strategy& s) { return row.at("strategy") == s.name; };
    series.x.push_back(static_cast<double>(std::ranges::find_if(strategies, same) - strategies.begin()));
    series.y.push_back(row.at("gflops").get<double>());
  }
  return series;
}

ReportChart strategy_speed_chart(const json& comparison) {
  ReportChart out{"Speed of the four strategies",
                  {"Gflops of each strategy by direct summation and by tree",
                   {"", false, {}, true},
                   {"Gflops (38 per pair)", true, {}, false},
                   {speeds(comparison, "direct", 3), speeds(comparison, "tree", 0)},
                   false},
                  "Figure 1 of Hamada et al. (2009). Direct summation gives every strategy as many targets as it can "
                  "share out. In a tree a walk has a few hundred targets and a few thousand sources: one walk cannot "
                  "fill a GPU, many walks can. A strategy without a point had no device."};
  for (std::size_t s = 0; s < strategies.size(); ++s) {
    out.chart.x.ticks.push_back({static_cast<double>(s), strategies[s].name});
  }
  return out;
}

ChartAxis value_axis(const json& rows, const char* label) {
  ChartAxis axis{label, true, {}, false};
  for (const double value : column(rows, "value")) axis.ticks.push_back({value, fmt::format("{:g}", value)});
  return axis;
}

/// Seconds of each row of a scan, in all and by kind.
ReportChart seconds_chart(const json& rows, const char* title, const char* label, const char* how) {
  const std::vector<double> x = column(rows, "value");
  const auto series = [&](const char* name, int colour, const char* key) {
    return ChartSeries{name, colour, x, column(rows, key), {}, Mark::line_and_points, false};
  };
  return {title,
          {title,
           value_axis(rows, label),
           {"seconds", true, {}, false},
           {series("in all", 3, "seconds"), series("walking", 0, "walking"), series("evaluating", 1, "evaluating")},
           false},
          how};
}

ReportChart overlap_chart(const json& rows, const char* title, const char* label) {
  const std::vector<double> x = column(rows, "value");
  return {
      title,
      {title,
       value_axis(rows, label),
       {"fraction", false, {}, true},
       {{"walking hidden behind the device", 0, x, column(rows, "hidden_walking"), {}, Mark::line_and_points, false},
        {"device busy", 3, x, column(rows, "device_busy"), {}, Mark::line_and_points, false}},
       false},
      "How much of the walking went on while the device computed, and for which part of the whole time it did."};
}

ReportChart error_chart(const json& rows, const char* label) {
  const auto series = [&](const char* name, int colour, const char* key, const char* interval) {
    return ChartSeries{name,
                       colour,
                       column(rows, "value"),
                       error_column(rows, key),
                       {},
                       Mark::line_and_points,
                       false,
                       ends_of_intervals(rows, interval, 0),
                       ends_of_intervals(rows, interval, 1)};
  };
  return {
      "Force error by group size",
      {"Force error by group size",
       value_axis(rows, label),
       {"relative force error", true, {}, false},
       {series("median", 1, "median", "median_interval"), series("99%", 2, "p99", "p99_interval")},
       false},
      "Larger groups have longer lists, which at equal theta are more accurate. Bars are 95% confidence intervals."};
}

std::vector<ReportChart> scan_charts(const json& scans) {
  std::vector<ReportChart> charts;
  const bool overlaps = scans.at("overlaps").get<bool>();
  if (const json& rows = scans.at("group_size").at("rows"); !rows.empty()) {
    const char* label = "most particles in a group";
    charts.push_back(seconds_chart(rows, "Time by group size", label,
                                   "Small groups mean many walks, large ones long lists: the optimum lies where the "
                                   "two balance on this machine. The rest is sort, tree and idle threads."));
    if (overlaps) charts.push_back(overlap_chart(rows, "Overlap by group size", label));
    charts.push_back(error_chart(rows, label));
  }
  if (const json& rows = scans.at("threads").at("rows"); !rows.empty()) {
    const char* label = "walking threads";
    charts.push_back(seconds_chart(rows, "Time by walking threads", label,
                                   "More threads walk faster, until a device is full or the cores are."));
    if (overlaps) charts.push_back(overlap_chart(rows, "Overlap by walking threads", label));
  }
  return charts;
}

}  // namespace

std::string strategy_page(const json& comparison) {
  std::string body = chart_panels({strategy_speed_chart(comparison)});
  if (!comparison.at("scans").is_null()) body += chart_panels(scan_charts(comparison.at("scans")));
  body += "<section class=\"panel\"><pre>" + escape_html(strategy_text(comparison)) + "</pre></section>\n";
  return html_page({"Strategies", "strategies", "Four ways to evaluate gravity", comparison.at("machine")}, body);
}

}  // namespace multiwalk
