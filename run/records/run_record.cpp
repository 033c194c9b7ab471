// SPDX-License-Identifier: GPL-3.0-or-later
// The run record as JSON and back, for checkpoints; report_json, made for readers, is in report.cpp.
#include "run/records/run_record.hpp"

#include <limits>

#include "host/base/error.hpp"
#include "run/files/json_input.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

/// JSON has no NaN; it is stored as null.
double number(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json step_json(const StepRecord& s) {
  json j{s.step,
         s.time,
         s.a,
         s.z,
         s.seconds,
         s.raw.particle_pairs,
         s.raw.cell_pairs,
         s.raw.walks,
         s.particles_per_second,
         s.imbalance};
  j.push_back(s.ranks.ranks > 1 ? to_json(s.ranks) : json());
  const BlockRecord& b = s.block;
  j.push_back(b.substeps > 0 ? json{b.substeps, b.evaluations, b.last_raw, b.rungs, b.raw_if_full} : json());
  j.push_back(s.joules ? json(*s.joules) : json());
  j.push_back(s.covered);
  j.push_back(s.behind);
  j.push_back(s.energy_error);
  j.push_back(s.diagnostics ? to_json(*s.diagnostics) : json());
  return j;
}

StepRecord step_from(const json& j) {
  StepRecord step;
  step.step = whole_number(j.at(0));
  step.time = number(j.at(1));
  step.a = number(j.at(2));
  step.z = number(j.at(3));
  step.seconds = j.at(4).get<PhaseSeconds>();
  step.raw.particle_pairs = whole_number(j.at(5));
  step.raw.cell_pairs = whole_number(j.at(6));
  step.raw.walks = whole_number(j.at(7));
  step.particles_per_second = number(j.at(8));
  step.imbalance = number(j.at(9));
  if (const json& ranks = j.at(10); !ranks.is_null()) step.ranks = rank_figures_from_json(ranks);
  if (const json& block = j.at(11); !block.is_null()) {
    step.block.substeps = whole_number(block.at(0));
    step.block.evaluations = whole_number(block.at(1));
    step.block.last_raw = whole_number(block.at(2));
    for (const json& particles : block.at(3)) step.block.rungs.push_back(whole_number(particles));
    step.block.raw_if_full = number(block.at(4));
  }
  if (const json& joules = j.at(12); !joules.is_null()) step.joules = joules.get<double>();
  step.covered = whole_number(j.at(13));
  step.behind = number(j.at(14));
  step.energy_error = number(j.at(15));
  if (const json& diagnostics = j.at(16); !diagnostics.is_null()) {
    step.diagnostics = diagnostics_from_json(diagnostics);
  }
  return step;
}

json census_row(const CensusRecord& c) {
  return {c.step,
          c.a,
          c.raw_pairs,
          c.effective.pairs,
          c.effective.standard_error,
          c.effective.sample,
          c.equal_error_theta,
          c.equal_error_pairs,
          c.equal_error_of_median};
}

CensusRecord census_from(const json& j) {
  CensusRecord census;
  census.step = whole_number(j.at(0));
  census.a = number(j.at(1));
  census.raw_pairs = whole_number(j.at(2));
  census.effective = {number(j.at(3)), number(j.at(4)), whole_number(j.at(5))};
  census.equal_error_theta = number(j.at(6));
  census.equal_error_pairs = number(j.at(7));
  census.equal_error_of_median = j.size() > 8 && j.at(8).get<bool>();
  return census;
}

json percentiles_row(const ErrorPercentiles& e) {
  return {e.median, e.p90, e.p99, e.max, e.sample, e.p99_low, e.p99_high, e.median_low, e.median_high};
}

ErrorPercentiles percentiles_from(const json& j) {
  const auto at = [&](std::size_t i) { return i < j.size() ? number(j.at(i)) : 0; };
  return {at(0), at(1), at(2), at(3), whole_number(j.at(4)), at(5), at(6), at(7), at(8)};
}

}  // namespace

json to_json(const RunRecord& r) {
  json j{{"version", r.version},          {"machine", r.machine},     {"backend", r.backend},
         {"started", r.started},          {"threads", r.threads},     {"ranks", r.ranks},
         {"devices", r.devices},          {"particles", r.particles}, {"comoving", r.comoving},
         {"wall_seconds", r.wall_seconds}};
  j["device_joules"] = r.device_joules ? json(*r.device_joules) : json();
  if (r.checkpoint) j["checkpoint"] = {r.checkpoint->seconds, r.checkpoint->bytes};
  j["memory"] = {r.memory.host, r.memory.device};
  j["measuring"] = {r.measuring.errors, r.measuring.census, r.measuring.trials};
  for (const char* list : {"steps", "census", "errors", "outputs"}) j[list] = json::array();
  for (const StepRecord& s : r.steps) j["steps"].push_back(step_json(s));
  for (const CensusRecord& c : r.census) j["census"].push_back(census_row(c));
  for (const ErrorRecord& e : r.errors) {
    j["errors"].push_back({e.time, e.z, percentiles_row(e.total), percentiles_row(e.peculiar)});
  }
  for (const OutputRecord& o : r.outputs) j["outputs"].push_back({o.time, o.z, o.snapshots, o.image, o.halos, o.power});
  j["worrying_energy_error"] = r.worrying_energy_error;
  for (const PartSeconds& p : r.initial_conditions) j["initial_conditions"].push_back({p.part, p.seconds});
  j["operations_per_pair"] = r.operations_per_pair;
  return j;
}

RunRecord record_from_json(const json& j) {
  RunRecord r;
  j.at("version").get_to(r.version);
  j.at("machine").get_to(r.machine);
  j.at("backend").get_to(r.backend);
  j.at("started").get_to(r.started);
  r.threads = static_cast<int>(whole_number(j.at("threads")));
  r.ranks = static_cast<int>(whole_number(j.at("ranks")));
  r.devices = static_cast<int>(whole_number(j.at("devices")));
  r.particles = whole_number(j.at("particles"));
  j.at("comoving").get_to(r.comoving);
  r.wall_seconds = number(j.at("wall_seconds"));
  if (!(r.wall_seconds >= 0)) throw InputError("the run's state holds a time below zero");
  if (!j.at("device_joules").is_null()) r.device_joules = j["device_joules"].get<double>();
  if (j.contains("checkpoint")) {
    r.checkpoint = {number(j["checkpoint"].at(0)), whole_number(j["checkpoint"].at(1))};
  }
  if (j.contains("memory")) r.memory = {whole_number(j["memory"].at(0)), whole_number(j["memory"].at(1))};
  if (j.contains("measuring")) {
    const json& m = j["measuring"];
    r.measuring = {number(m.at(0)), number(m.at(1)), number(m.at(2))};
  }
  for (const json& s : j.at("steps")) r.steps.push_back(step_from(s));
  for (const json& c : j.at("census")) r.census.push_back(census_from(c));
  for (const json& e : j.at("errors")) {
    r.errors.push_back({number(e.at(0)), number(e.at(1)), percentiles_from(e.at(2)), percentiles_from(e.at(3))});
  }
  for (const json& o : j.at("outputs")) {
    r.outputs.push_back({number(o.at(0)), number(o.at(1)), o.at(2).get<std::vector<std::string>>(),
                         o.at(3).get<std::string>(), o.size() > 4 ? o[4] : json(), o.size() > 5 ? o[5] : json()});
  }
  r.worrying_energy_error = number(j.at("worrying_energy_error"));
  for (const json& p : j.value("initial_conditions", json::array())) {
    r.initial_conditions.push_back({p.at(0).get<std::string>(), number(p.at(1))});
  }
  if (j.contains("operations_per_pair")) j["operations_per_pair"].get_to(r.operations_per_pair);
  return r;
}

}  // namespace multiwalk
