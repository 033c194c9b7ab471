// SPDX-License-Identifier: GPL-3.0-or-later
// report.json: names that stay the same between versions, and further fields that report.html needs.
#include "run/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/files/json_output.hpp"
#include "run/parameters/published_runs.hpp"
#include "run/parameters/toml.hpp"
#include "run/records/run_totals.hpp"
#include "run/report/report_check.hpp"
#include "run/report/run_figures.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

template <class T>
json nullable(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json parameters_json(const Parameters& parameters) {
  std::ostringstream text;
  text << toml::json_formatter{toml::parse(to_toml(parameters))};
  return json::parse(text.str());
}

/// The three parts of Hamada et al. (2009), Fig. 11.
json breakdown_json(const PhaseSeconds& seconds) {
  const TimeBreakdown parts = time_breakdown(seconds);
  return {{"mpi", parts.mpi}, {"tree_walk", parts.tree_walk}, {"miscellaneous", parts.miscellaneous}};
}

json step_json(const StepRecord& step, const CensusRatio& ratio) {
  json j = to_json(step);
  j.erase("diagnostics");  // report["diagnostics"] lists them by name
  j["raw_pairs"] = step.raw.total();
  j["seconds_breakdown"] = breakdown_json(step.seconds);
  j["effective_pairs"] = ratio.known() ? json(ratio.pairs_of(step)) : json();
  return j;
}

json census_json(const CensusRecord& census) {
  const double pairs = census.effective.pairs;
  json j = to_json(census);
  j["z"] = 1 / census.a - 1;
  j["ratio"] = pairs > 0 ? json(static_cast<double>(census.raw_pairs) / pairs) : json();
  const bool measured = census.equal_error_pairs > 0;
  if (!measured) j["equal_error_theta"] = j["equal_error_pairs"] = json();
  if (measured) j["equal_error_of"] = census.equal_error_of_median ? "median" : "99%";
  j.erase("equal_error_of_median");
  return j;
}

json error_json(const ErrorRecord& error) {
  json j = percentiles_json(error.total);
  j["time"] = error.time;
  j["z"] = error.z;
  j["peculiar"] = percentiles_json(error.peculiar);
  return j;
}

/// The largest violation over the run, the last one, and the history with one for each row.
json energy_json(const RunRecord& record) {
  double largest = 0;
  json steps = json::array();
  for (const StepRecord& step : record.steps) {
    const double error = step.energy_error;
    largest = std::isnan(error) ? error : std::max(largest, std::fabs(error));
    steps.push_back(error);
  }
  json last = steps.empty() ? json() : steps.back();
  return {{record.comoving ? "layzer_irvine_relative" : "relative", steps.empty() ? json() : json(largest)},
          {"final", std::move(last)},
          {"steps", std::move(steps)}};
}

json diagnostics_json(const RunRecord& record) {
  std::vector<Diagnostics> rows;
  for (const StepRecord& step : record.steps)
    if (step.diagnostics) rows.push_back(*step.diagnostics);
  return diagnostics_json(rows);
}

json totals_json(const RunRecord& record, const RunTotals& totals, const std::string& currency) {
  const CostFigures& cost = totals.cost;
  const auto& effective = totals.effective;
  json j{{"wall_seconds", record.wall_seconds},
         {"steps", totals.steps},
         {"substeps", totals.substeps},
         {"evaluations", totals.evaluations},
         {"raw_pairs", totals.raw.total()},
         {"pp_pairs", totals.raw.particle_pairs},
         {"pc_pairs", totals.raw.cell_pairs},
         {"expansions", totals.raw.expansions},
         {"walks", totals.raw.walks},
         {"tflops_raw", cost.tflops_raw},
         {"seconds", seconds_json(totals.seconds)},
         {"particles_per_second", totals.particles_per_second}};
  j["seconds_breakdown"] = breakdown_json(totals.seconds);
  j["effective_pairs"] = effective ? json(effective->pairs) : json();
  j["effective_error"] = effective ? json(effective->standard_error) : json();
  j["effective_sample"] = effective ? json(effective->sample) : json();
  j["equal_error_monopole_pairs"] = nullable(totals.equal_error_pairs);
  j["tflops_effective"] = effective ? json(cost.tflops_effective) : json();
  j["usd_per_gflops_effective"] = currency == "USD" ? nullable(cost.per_gflops_effective) : json();
  j["price_per_gflops_effective"] = nullable(cost.per_gflops_effective);
  j["price_per_gflops_raw"] = nullable(cost.per_gflops_raw);
  j["price"] = nullable(cost.price);
  j["run_cost"] = nullable(cost.run_cost);
  j["device_joules"] = nullable(record.device_joules);
  j["joules_per_effective_pair"] = nullable(cost.joules_per_effective_pair);
  if (totals.ranks.ranks > 1) j["over_ranks"] = to_json(totals.ranks);
  if (const MeasuringRecord& m = record.measuring; m.total() > 0) {
    j["measuring"] = {{"seconds", m.total()}, {"errors", m.errors}, {"census", m.census}, {"trials", m.trials}};
    j["measuring"]["share"] = record.wall_seconds > 0 ? json(m.total() / record.wall_seconds) : json();
  }
  return j;
}

/// Bytes; those per particle are computed as if every rank needed as many as the one with the most.
json memory_json(const RunRecord& record) {
  const double share = record.ranks / std::max(1.0, static_cast<double>(record.particles));
  return {{"host", record.memory.host},
          {"device", record.memory.device},
          {"host_per_particle", share * static_cast<double>(record.memory.host)},
          {"device_per_particle", share * static_cast<double>(record.memory.device)}};
}

json comparison_json(const std::string& name) {
  for (const PublishedRun& run : published_runs) {
    if (run.name != name) continue;
    return {{"title", run.title},
            {"machine", run.machine},
            {"currency", run.currency},
            {"figures", figures_json(run.figures)}};
  }
  return nullptr;
}

json output_json(const OutputRecord& output) {
  json j = output.entries;
  j["time"] = output.time;
  j["z"] = output.z;
  return j;
}

/// Paths as seen from the run directory, so that it can be moved.
std::string relative_to(const std::string& directory, const std::string& path) {
  if (path.empty()) return path;
  const std::filesystem::path base = std::filesystem::absolute(directory).lexically_normal();
  const std::string relative = std::filesystem::absolute(path).lexically_normal().lexically_relative(base).string();
  return relative.starts_with("..") ? path : relative;
}

/// Shortens the paths of a report's outputs: entries that are texts, and `file`, `snapshot` and `images` of objects.
void make_paths_relative(json& entry, const std::string& directory) {
  if (entry.is_string()) entry = relative_to(directory, entry);
  if (entry.is_array()) {
    for (json& item : entry) make_paths_relative(item, directory);
  }
  if (!entry.is_object()) return;
  for (const char* key : {"file", "snapshot", "images"}) {
    if (entry.contains(key)) make_paths_relative(entry[key], directory);
  }
}

/// {"seconds": {"total", the parts}}, null if they were read.
json conditions_json(const std::vector<PartSeconds>& parts) {
  if (parts.empty()) return {};
  json seconds = json::object();
  double total = 0;
  for (const auto& [part, took] : parts) {
    seconds[part] = seconds.value(part, 0.0) + took;
    total += took;
  }
  seconds["total"] = total;
  return {{"seconds", seconds}};
}

}  // namespace

json report_json(const RunRecord& record, const Parameters& parameters) {
  const CensusRatio ratio(record);
  json report{{"version", record.version},     {"machine", record.machine},
              {"title", parameters.run.title}, {"started", record.started},
              {"finished", record.finished},   {"backend", record.backend},
              {"threads", record.threads},     {"ranks", record.ranks},
              {"devices", record.devices},     {"particles", record.particles},
              {"comoving", record.comoving},   {"operations_per_pair", record.operations_per_pair}};
  if (record.has_diagnostics()) report["diagnostics"] = diagnostics_json(record);
  report["parameters"] = parameters_json(parameters);
  for (const char* list : {"steps", "census", "force_error", "outputs"}) report[list] = json::array();
  for (const StepRecord& step : record.steps) report["steps"].push_back(step_json(step, ratio));
  for (const CensusRecord& census : record.census) report["census"].push_back(census_json(census));
  for (const ErrorRecord& error : record.errors) report["force_error"].push_back(error_json(error));
  for (const OutputRecord& output : record.outputs) report["outputs"].push_back(output_json(output));
  for (const RunningFiles& output : record.running_outputs) {
    report["running_outputs"].push_back({{"time", output.time}, {"z", output.z}, {"files", output.files}});
  }
  report["energy"] = energy_json(record);
  report["memory"] = memory_json(record);
  report["initial_conditions"] = conditions_json(record.initial_conditions);
  report["checkpoint"] = json();
  if (record.checkpoint) {
    report["checkpoint"] = {{"seconds", record.checkpoint->seconds}, {"bytes", record.checkpoint->bytes}};
  }
  report["totals"] = totals_json(record, run_totals(record, parameters.cost), parameters.cost.currency);
  if (record.has_diagnostics()) return report;
  const std::optional<RunFigures> sustained = sustained_figures(record, parameters.cost);
  report["sustained"] = sustained ? figures_json(*sustained) : json();
  report["comparison"] = comparison_json(parameters.cost.compare_with);
  return report;
}

void write_report(const std::string& directory, const RunRecord& record, const Parameters& parameters) {
  json report = report_json(record, parameters);
  for (json& output : report["outputs"]) {
    for (json& entry : output) make_paths_relative(entry, directory);
  }
  if (report.contains("running_outputs")) {
    for (json& output : report["running_outputs"]) make_paths_relative(output["files"], directory);
  }
  const std::string text = json_text(report, 1);
  write_file_atomically(directory + "/report.html", report_html(json::parse(text), directory));
  write_file_atomically(directory + "/report.json", text + "\n");  // last: it may say that the run is finished
}

void rebuild_report(const std::string& directory) {
  const std::string path = directory + "/report.json";
  const json report = read_json(path);
  check_report(report, path);
  write_file_atomically(directory + "/report.html", values_from(path, [&] { return report_html(report, directory); }));
}

}  // namespace multiwalk
