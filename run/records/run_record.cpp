// SPDX-License-Identifier: GPL-3.0-or-later
// The run record as JSON and back, by one list of names for both directions.
#include "run/records/run_record.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "run/records/json_fields.hpp"

namespace multiwalk {

using nlohmann::json;

namespace {

template <class S, class T>
concept Of = std::same_as<std::remove_const_t<S>, T>;

}  // namespace

template <class Visit, Of<BlockRecord> S>
void fields(Visit& visit, S& block) {
  visit("substeps", block.substeps);
  visit("evaluations", block.evaluations);
  visit("last_raw", block.last_raw);
  visit("rungs", block.rungs);
  visit("raw_if_full", block.raw_if_full);
}

template <class Visit, Of<CensusRecord> S>
void fields(Visit& visit, S& census) {
  visit("step", census.step);
  visit("a", census.a);
  visit("raw_pairs", census.raw_pairs);
  visit("effective_pairs", census.effective.pairs);
  visit("effective_error", census.effective.standard_error);
  visit("sample", census.effective.sample);
  visit("equal_error_theta", census.equal_error_theta);
  visit("equal_error_pairs", census.equal_error_pairs);
  visit("equal_error_of_median", census.equal_error_of_median);
}

template <class Visit, Of<ErrorPercentiles> S>
void fields(Visit& visit, S& error) {
  visit("median", error.median);
  visit("p90", error.p90);
  visit("p99", error.p99);
  visit("max", error.max);
  visit("sample", error.sample);
  visit("p99_low", error.p99_low);
  visit("p99_high", error.p99_high);
  visit("median_low", error.median_low);
  visit("median_high", error.median_high);
}

template <class Visit, Of<ErrorRecord> S>
void fields(Visit& visit, S& error) {
  visit("time", error.time);
  visit("z", error.z);
  visit("total", error.total);
  visit("peculiar", error.peculiar);
}

template <class Visit, Of<OutputRecord> S>
void fields(Visit& visit, S& output) {
  visit("time", output.time);
  visit("z", output.z);
  visit("entries", output.entries);
}

template <class Visit, Of<RunningFiles> S>
void fields(Visit& visit, S& output) {
  visit("time", output.time);
  visit("z", output.z);
  visit("files", output.files);
}

template <class Visit, Of<CheckpointRecord> S>
void fields(Visit& visit, S& checkpoint) {
  visit("seconds", checkpoint.seconds);
  visit("bytes", checkpoint.bytes);
}

template <class Visit, Of<MemoryRecord> S>
void fields(Visit& visit, S& memory) {
  visit("host", memory.host);
  visit("device", memory.device);
}

template <class Visit, Of<MeasuringRecord> S>
void fields(Visit& visit, S& measuring) {
  visit("errors", measuring.errors);
  visit("census", measuring.census);
  visit("trials", measuring.trials);
}

template <class Visit, Of<PartSeconds> S>
void fields(Visit& visit, S& part) {
  visit("part", part.part);
  visit("seconds", part.seconds);
}

/// All but the steps and the files of running outputs, which not every record has.
template <class Visit, Of<RunRecord> S>
void fields(Visit& visit, S& record) {
  visit("version", record.version);
  visit("machine", record.machine);
  visit("backend", record.backend);
  visit("started", record.started);
  visit("threads", record.threads);
  visit("ranks", record.ranks);
  visit("devices", record.devices);
  visit("particles", record.particles);
  visit("comoving", record.comoving);
  visit("wall_seconds", record.wall_seconds);
  visit("initial_conditions", record.initial_conditions);
  visit("device_joules", record.device_joules);
  visit("checkpoint", record.checkpoint);
  visit("memory", record.memory);
  visit("measuring", record.measuring);
  visit("census", record.census);
  visit("errors", record.errors);
  visit("outputs", record.outputs);
  visit("worrying_energy_error", record.worrying_energy_error);
  visit("operations_per_pair", record.operations_per_pair);
}

namespace {

/// The fields of a step that have the same name in its JSON and in the structure.
template <class Visit, Of<StepRecord> S>
void step_fields(Visit& visit, S& step) {
  visit("step", step.step);
  visit("time", step.time);
  visit("a", step.a);
  visit("z", step.z);
  visit("pp_pairs", step.raw.particle_pairs);
  visit("pc_pairs", step.raw.cell_pairs);
  visit("expansions", step.raw.expansions);
  visit("walks", step.raw.walks);
  visit("particles_per_second", step.particles_per_second);
  visit("imbalance", step.imbalance);
  visit("joules", step.joules);
  visit("steps_covered", step.covered);
  visit("behind", step.behind);
  visit("energy_error", step.energy_error);
}

StepRecord step_from_json(const json& j) {
  StepRecord step;
  json_fields::Reader reader{j};
  step_fields(reader, step);
  step.seconds = seconds_from_json(j.at("seconds"));
  if (j.contains("over_ranks")) step.ranks = rank_figures_from_json(j["over_ranks"]);
  if (j.contains("block")) step.block = fields_from_json<BlockRecord>(j["block"]);
  if (j.contains("diagnostics")) step.diagnostics = diagnostics_from_json(j["diagnostics"]);
  return step;
}

/// Checks the figures from which costs and speeds follow, which mean nothing for negative counts or times.
void require_counts(const RunRecord& record) {
  const auto require_count = [](double value) {
    if (!(value >= 0)) throw InputError("the run's state holds a count or a time below zero");
  };
  require_count(record.wall_seconds);
  for (const StepRecord& step : record.steps) {
    require_count(step.block.raw_if_full);
    for (const double seconds : step.seconds) require_count(seconds);
  }
  for (const CensusRecord& census : record.census) {
    require_count(census.effective.pairs);
    require_count(census.equal_error_pairs);
  }
}

}  // namespace

json to_json(const StepRecord& step) {
  json_fields::Writer writer;
  step_fields(writer, step);
  json& j = writer.object;
  j["seconds"] = seconds_json(step.seconds);
  if (step.ranks.ranks > 1) j["over_ranks"] = to_json(step.ranks);
  if (step.block.substeps > 0) j["block"] = fields_to_json(step.block);
  if (step.diagnostics) j["diagnostics"] = to_json(*step.diagnostics);
  return std::move(j);
}

json to_json(const CensusRecord& census) {
  return fields_to_json(census);
}

json to_json(const RunRecord& record) {
  json j = fields_to_json(record);
  j["format"] = record_format;
  j["steps"] = json::array();
  for (const StepRecord& step : record.steps) j["steps"].push_back(to_json(step));
  if (!record.running_outputs.empty()) j["running_outputs"] = json_fields::write(record.running_outputs);
  return j;
}

std::string writer_of_other_format(const json& j) {
  if (j.value("format", json(1)) == json(record_format)) return "";
  const json version = j.value("version", json());
  return version.is_string() ? "multiwalk " + version.get<std::string>() : "another version of the program";
}

RunRecord record_from_json(const json& j) {
  if (const std::string writer = writer_of_other_format(j); !writer.empty()) {
    throw InputError(fmt::format("the record of the run has another format, that of {}", writer));
  }
  RunRecord record = fields_from_json<RunRecord>(j);
  for (const json& step : j.at("steps")) record.steps.push_back(step_from_json(step));
  if (j.contains("running_outputs")) json_fields::read(j["running_outputs"], record.running_outputs);
  require_counts(record);
  return record;
}

}  // namespace multiwalk
