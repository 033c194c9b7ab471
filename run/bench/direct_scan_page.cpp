// SPDX-License-Identifier: GPL-3.0-or-later
// The page of `bench direct --scan`: charts, then the tables.
#include <algorithm>

#include "run/bench/direct_scan.hpp"
#include "run/files/json_output.hpp"
#include "run/pages/page_style.hpp"
#include "run/pages/report_charts.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

/// A line for each value of `by` among the rows that `wanted` admits.
template <class Wanted>
std::vector<ChartSeries> series_by(const json& rows, const char* by, const char* x, const char* y, Wanted wanted) {
  std::vector<ChartSeries> all;
  for (const json& row : rows) {
    if (!wanted(row)) continue;
    const std::string name = plain_text(row.at(by));
    auto series = all.begin();
    while (series != all.end() && series->name != name) ++series;
    if (series == all.end()) {
      const int colour = static_cast<int>(all.size()) % palette_size;
      series = all.insert(series, {name, colour, {}, {}, {}, Mark::line_and_points, false});
    }
    series->x.push_back(number_or_nan(row.at(x)));
    series->y.push_back(number_or_nan(row.at(y)));
  }
  return all;
}

ReportChart chart_of(const char* title, const char* x, const char* y, std::vector<ChartSeries> series,
                     const char* how) {
  return {title, {title, {x, true, {}, false}, {y, true, {}, false}, std::move(series), false}, how};
}

ChartSeries copy_series(const json& copies, const char* name, int colour, const char* way, const char* memory) {
  ChartSeries series{name, colour, column(copies, "bytes"), {}, {}, Mark::line_and_points, false};
  for (const json& row : copies) series.y.push_back(1e-9 * number_or_nan(row.at(way).at(memory)));
  return series;
}

std::vector<ReportChart> device_charts(const json& result) {
  const json& rows = result.at("strategies");
  const json& copies = result.at("copies");
  const auto one_block = [](const json& row) { return row.at("one_block").get<bool>(); };
  const auto many_blocks = [&](const json& row) { return !one_block(row); };
  const auto all = [](const json&) { return true; };
  return {chart_of(
              "Strategies on all multiprocessors", "bodies", "Gflop/s (38 per pair)",
              series_by(rows, "name", "particles", "gflops", many_blocks),
              "Kernels alone. i-parallel: Nyland et al. (2007). j-parallel and the order of Chamomile: Hamada & Iitaka "
              "(2007). Triangle, square and large square: Kavanagh (2008). What runs use is given for comparison."),
          chart_of("Strategies on one block", "bodies", "Gflop/s (38 per pair)",
                   series_by(rows, "name", "particles", "gflops", one_block),
                   "As in Kavanagh's thesis: one block, and so one multiprocessor, does everything."),
          chart_of(
              "Grid and block size", "blocks of the grid", "pairs/s",
              series_by(result.at("shapes").at("rows"), "threads", "blocks", "pairs_per_second", all),
              "The tiled kernel by threads of a block, as in sections 3 and 4 of Schive et al. (2008). Steps are where "
              "some multiprocessors have one block more than others."),
          chart_of("Messages", "bytes", "GB/s",
                   {copy_series(copies, "to the device, page-locked", 0, "to_device", "locked"),
                    copy_series(copies, "to the device, pageable", 1, "to_device", "pageable"),
                    copy_series(copies, "to the host, page-locked", 2, "to_host", "locked"),
                    copy_series(copies, "to the host, pageable", 3, "to_host", "pageable")},
                   "Short messages cost the time that each begins with, whatever their length.")};
}

std::vector<ReportChart> cpu_charts(const json& rows) {
  json most = 0;  // bodies of the largest sums by SIMD loops, and threads
  int threads = 1;
  for (const json& row : rows) {
    threads = std::max(threads, row.at("threads").get<int>());
    if (row.at("loop") == "SIMD" && row.at("measured").get<bool>()) most = row.at("particles");
  }
  return {
      chart_of("Loops and accumulations", "bodies", "Gflop/s (38 per pair)",
               series_by(rows, "name", "particles", "gflops",
                         [&](const json& row) { return row.at("loop") == "scalar" || row.at("threads") == threads; }),
               "The scalar loop is in double precision on one thread, the others on all threads."),
      chart_of("Threads", "threads", "Gflop/s (38 per pair)",
               series_by(rows, "accumulation", "threads", "gflops",
                         [&](const json& row) { return row.at("loop") == "SIMD" && row.at("particles") == most; }),
               "SIMD loops on the largest number of bodies that was measured.")};
}

}  // namespace

std::string direct_scan_page(const json& result) {
  std::string body;
  if (result.contains("strategies")) body += chart_panels(device_charts(result));
  if (result.contains("cpu")) body += chart_panels(cpu_charts(result.at("cpu")));
  body += "<section class=\"panel\"><pre>" + escape_html(direct_scan_text(result)) + "</pre></section>\n";
  return html_page(
      {"Direct summation", "direct", "What direct summation's speed hangs on", result.value("machine", "")}, body);
}

}  // namespace multiwalk
