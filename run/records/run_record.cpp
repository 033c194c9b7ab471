// SPDX-License-Identifier: GPL-3.0-or-later
// The run record as JSON and back, for checkpoints; report_json, made for readers, is in report.cpp.
#include <limits>

#include "run/report/report.hpp"

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
  j.push_back(s.block.substeps > 0 ? json{s.block.substeps, s.block.evaluations, s.block.last_raw, s.block.rungs}
                                   : json());
  j.push_back(s.joules ? json(*s.joules) : json());
  return j;
}

StepRecord step_from(const json& j) {
  StepRecord step;
  step.step = j.at(0).get<std::uint64_t>();
  step.time = number(j.at(1));
  step.a = number(j.at(2));
  step.z = number(j.at(3));
  step.seconds = j.at(4).get<PhaseSeconds>();
  step.raw.particle_pairs = j.at(5).get<std::uint64_t>();
  step.raw.cell_pairs = j.at(6).get<std::uint64_t>();
  step.raw.walks = j.at(7).get<std::uint64_t>();
  step.particles_per_second = number(j.at(8));
  step.imbalance = number(j.at(9));
  if (j.size() > 10 && !j[10].is_null()) step.ranks = rank_figures_from_json(j[10]);
  if (j.size() > 11 && !j[11].is_null()) {
    j[11].at(0).get_to(step.block.substeps);
    j[11].at(1).get_to(step.block.evaluations);
    j[11].at(2).get_to(step.block.last_raw);
    j[11].at(3).get_to(step.block.rungs);
  }
  if (j.size() > 12 && !j[12].is_null()) step.joules = j[12].get<double>();
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
          c.equal_error_pairs};
}

CensusRecord census_from(const json& j) {
  CensusRecord census;
  census.step = j.at(0).get<std::uint64_t>();
  census.a = number(j.at(1));
  census.raw_pairs = j.at(2).get<std::uint64_t>();
  census.effective = {number(j.at(3)), number(j.at(4)), j.at(5).get<std::uint64_t>()};
  census.equal_error_theta = number(j.at(6));
  census.equal_error_pairs = number(j.at(7));
  return census;
}

json percentiles_row(const ErrorPercentiles& e) {
  return {e.median, e.p90, e.p99, e.max, e.sample, e.p99_low, e.p99_high};
}

ErrorPercentiles percentiles_from(const json& j) {
  const auto at = [&](std::size_t i) { return i < j.size() ? number(j.at(i)) : 0; };
  return {at(0), at(1), at(2), at(3), j.at(4).get<std::uint64_t>(), at(5), at(6)};
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
  for (const char* list : {"steps", "census", "errors", "outputs"}) j[list] = json::array();
  for (const StepRecord& s : r.steps) j["steps"].push_back(step_json(s));
  for (const CensusRecord& c : r.census) j["census"].push_back(census_row(c));
  for (const ErrorRecord& e : r.errors) {
    j["errors"].push_back({e.time, e.z, percentiles_row(e.total), percentiles_row(e.peculiar)});
  }
  for (const OutputRecord& o : r.outputs) j["outputs"].push_back({o.time, o.z, o.snapshots, o.image, o.halos, o.power});
  j["energy_error"] = r.energy_error;
  for (const PartSeconds& p : r.initial_conditions) j["initial_conditions"].push_back({p.part, p.seconds});
  if (!r.diagnostics.empty()) j["diagnostics"] = to_json(r.diagnostics);
  j["operations_per_pair"] = r.operations_per_pair;
  return j;
}

RunRecord record_from_json(const json& j) {
  RunRecord r;
  j.at("version").get_to(r.version);
  j.at("machine").get_to(r.machine);
  j.at("backend").get_to(r.backend);
  j.at("started").get_to(r.started);
  j.at("threads").get_to(r.threads);
  j.at("ranks").get_to(r.ranks);
  j.at("devices").get_to(r.devices);
  j.at("particles").get_to(r.particles);
  j.at("comoving").get_to(r.comoving);
  r.wall_seconds = number(j.at("wall_seconds"));
  if (!j.at("device_joules").is_null()) r.device_joules = j["device_joules"].get<double>();
  if (j.contains("checkpoint")) {
    r.checkpoint = {number(j["checkpoint"].at(0)), j["checkpoint"].at(1).get<std::uint64_t>()};
  }
  if (j.contains("memory")) r.memory = {j["memory"].at(0).get<std::uint64_t>(), j["memory"].at(1).get<std::uint64_t>()};
  for (const json& s : j.at("steps")) r.steps.push_back(step_from(s));
  for (const json& c : j.at("census")) r.census.push_back(census_from(c));
  for (const json& e : j.at("errors")) {
    r.errors.push_back({number(e.at(0)), number(e.at(1)), percentiles_from(e.at(2)), percentiles_from(e.at(3))});
  }
  for (const json& o : j.at("outputs")) {
    r.outputs.push_back({number(o.at(0)), number(o.at(1)), o.at(2).get<std::vector<std::string>>(),
                         o.at(3).get<std::string>(), o.size() > 4 ? o[4] : json(), o.size() > 5 ? o[5] : json()});
  }
  for (const json& e : j.at("energy_error")) r.energy_error.push_back(number(e));
  for (const json& p : j.value("initial_conditions", json::array())) {
    r.initial_conditions.push_back({p.at(0).get<std::string>(), number(p.at(1))});
  }
  if (j.contains("diagnostics")) r.diagnostics = diagnostics_from_json(j["diagnostics"]);
  if (j.contains("operations_per_pair")) j["operations_per_pair"].get_to(r.operations_per_pair);
  return r;
}

}  // namespace multiwalk
