// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/report/report_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "run/machine/version.hpp"
#include "run/parameters/published_runs.hpp"
#include "run/report/report.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr std::string_view optional_parts[] = {
    "block", "halos", "power", "initial_conditions", "checkpoint", "over_ranks", "sustained", "comparison", "memory",
    "cosmology", "steps_covered", "finished",
    // only checkpoints need the following
    "behind", "energy_error", "last_raw", "raw_if_full", "in_flight", "awaited"};

/// One of everything that a run can record, except for the parts of the initial conditions, whose names may be any.
RunRecord example_record(bool direct, bool comoving) {
  RunRecord record;
  StepRecord step;
  step.block.substeps = 1;
  step.block.rungs = {1};
  step.ranks.ranks = 2;
  if (direct) step.diagnostics.emplace();
  record.steps.push_back(step);
  record.errors.emplace_back();
  record.initial_conditions.push_back({"total", 1});
  record.checkpoint.emplace();
  record.comoving = comoving;
  if (!direct) record.census.emplace_back();
  const json bin{{"k", 1.0}, {"power", 1.0}, {"modes", 1.0}, {"linear", 1.0}};
  const json power{{"file", ""},
                   {"particles", 1.0},
                   {"box_size", 1.0},
                   {"shot_noise", 1.0},
                   {"shot_noise_subtracted", true},
                   {"cosmology", json::object()},
                   {"bins", {bin}}};
  const json function{{"fit", ""}, {"bins", json::array()}};
  const json halos{
      {"file", ""}, {"halos", 1.0}, {"members", 1.0}, {"mass_functions", {{"fof", function}, {"mean200", function}}}};
  record.outputs.push_back(
      {1, 1, {{"snapshots", json::array({"file"})}, {"image", ""}, {"halos", halos}, {"power", power}}});
  return record;
}

std::string difference(const json& given, const json& like, const std::string& key, bool optional = false);

std::string difference_of_arrays(const json& given, const json& like, const std::string& key) {
  for (std::size_t i = 0; !like.empty() && i < given.size(); ++i) {
    std::string inside = difference(given[i], like[0], fmt::format("{}[{}]", key, i));
    if (!inside.empty()) return inside;
  }
  return "";
}

std::string difference_of_objects(const json& given, const json& like, const std::string& key) {
  for (const auto& [name, value] : like.items()) {
    const std::string inside = key.empty() ? name : key + "." + name;
    const bool may_be_null = std::ranges::find(optional_parts, name) != std::end(optional_parts);
    if (!given.contains(name)) {
      if (may_be_null) continue;
      return inside;
    }
    std::string found = difference(given.at(name), value, inside, may_be_null);
    if (!found.empty()) return found;
  }
  return "";
}

/// The key of `like` that `given` lacks or has of another kind; empty: none.
std::string difference(const json& given, const json& like, const std::string& key, bool optional) {
  if (like.is_null() || (optional && given.is_null())) return "";
  if (like.is_number()) return given.is_number() || given.is_null() ? "" : key;
  if (given.type() != like.type()) return key;
  if (like.is_array()) return difference_of_arrays(given, like, key);
  return like.is_object() ? difference_of_objects(given, like, key) : "";
}

/// A report with all that the page of such a report needs.
json make_example(bool direct, bool comoving) {
  Parameters compared;
  compared.cost.compare_with = published_runs.front().name;
  json example = report_json(example_record(direct, comoving), compared);
  example["parameters"] = {{"cost", {{"currency", ""}}}};  // the others are shown whatever they are
  return example;
}

/// One for each kind of report. No nested braces: g++ 12 destroys elements that were never made if memory runs out.
std::vector<json> make_examples() {
  std::vector<json> examples;
  for (const bool direct : {false, true}) {
    for (const bool comoving : {false, true}) examples.push_back(make_example(direct, comoving));
  }
  return examples;
}

/// The example of this report's kind.
const json& example_report(const json& report) {
  static const std::vector<json> examples = make_examples();
  const auto has = [&](const char* key) { return report.is_object() && report.contains(key); };
  const bool comoving = has("comoving") && report["comoving"] == true;
  return examples[2 * std::size_t{has("diagnostics")} + std::size_t{comoving}];
}

}  // namespace

void check_report(const json& report, const std::string& path) {
  const std::string key = report.is_object() ? difference(report, example_report(report), "") : "the whole";
  if (key.empty() && report.at("energy").at("steps").size() == report.at("steps").size()) return;
  const json version = report.is_object() ? report.value("version", json()) : json();
  throw InputError(
      fmt::format("{}: {} is missing or of another kind: no report of this program ({}), or one of {}: use the program "
                  "that wrote it",
                  path, key.empty() ? "energy.steps" : key, version_short(),
                  version.is_string() ? "multiwalk " + version.get<std::string>() : "another version"));
}

}  // namespace multiwalk
