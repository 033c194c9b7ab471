// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/report/short_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/text/plain_number.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

/// Rounds the value, and all values inside it, to five significant digits.
void cut_digits(json& value) {
  if (value.is_structured()) {
    for (json& inside : value) cut_digits(inside);
  } else if (value.is_number() && std::fabs(value.get<double>()) >= 1e5) {
    value = number_in(fmt::format("{:.4e}", value.get<double>())).value();
  } else if (value.is_number_float()) {
    value = number_in(fmt::format("{:.5g}", value.get<double>())).value();
  }
}

bool known(const json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

double amount(const json& value) {
  return known(value) ? value.get<double>() : 0;
}

double steps_covered(const json& row) {
  return std::max(1.0, amount(row.value("steps_covered", json(1))));
}

/// Sums where both are numbers; null where one is not.
void add(json& sum, const json& value) {
  sum = sum.is_number() && value.is_number() ? json(sum.get<double>() + value.get<double>()) : json();
}

/// The part of a step that the page shows.
json short_row(const json& step) {
  json row;
  for (const char* key :
       {"step", "time", "z", "raw_pairs", "effective_pairs", "particles_per_second", "steps_covered", "block"}) {
    if (step.contains(key)) row[key] = step[key];
  }
  for (const auto& [phase, seconds] : step.at("seconds").items()) {
    if (amount(seconds) != 0) row["seconds"][phase] = seconds;
  }
  if (!row.contains("seconds")) row["seconds"] = json::object();
  return row;
}

/// Adds a step to the row of those before it. Rungs remain those of the first; the speed becomes a mean over time.
void merge(json& row, const json& step) {
  const double before = amount(row["seconds"].value("total", json())),
               now = amount(step.at("seconds").value("total", json()));
  const double advanced = amount(row["particles_per_second"]) * before + amount(step.at("particles_per_second")) * now;
  row["particles_per_second"] = before + now > 0 ? json(advanced / (before + now)) : json();
  for (const char* key : {"step", "time", "z"}) row[key] = step.at(key);
  for (const char* key : {"raw_pairs", "effective_pairs"}) add(row[key], step.at(key));
  row["steps_covered"] = steps_covered(row) + steps_covered(step);
  for (const auto& [phase, seconds] : step.at("seconds").items()) {
    row["seconds"][phase] = amount(row["seconds"].value(phase, json(0))) + amount(seconds);
  }
  if (!row.contains("block") || !step.contains("block")) return;
  for (const char* key : {"substeps", "evaluations"}) add(row["block"][key], step.at("block").at(key));
}

/// Whether one of these is above `low` and not above `high`.
bool one_within(const std::set<double>& values, double low, double high) {
  const auto next = values.upper_bound(low);
  return next != values.end() && *next <= high;
}

/// (rows) true if something was written or measured in the row's steps.
std::vector<bool> measured_steps(const json& report) {
  const bool comoving = report.at("comoving").get<bool>();
  const auto epoch = [&](const json& row) { return comoving ? -amount(row.at("z")) : amount(row.at("time")); };
  std::set<double> epochs, steps;
  for (const char* list : {"outputs", "force_error"}) {
    for (const json& row : report.at(list)) epochs.insert(epoch(row));
  }
  for (const json& row : report.at("census")) steps.insert(amount(row.at("step")));
  std::vector<bool> measured;
  double last_epoch = -HUGE_VAL, last_step = -1;
  for (const json& row : report.at("steps")) {
    measured.push_back(one_within(epochs, last_epoch, epoch(row)) ||
                       one_within(steps, last_step, amount(row.at("step"))));
    last_epoch = epoch(row);
    last_step = amount(row.at("step"));
  }
  return measured;
}

/// The index of the last step that each row of the page covers.
std::vector<std::size_t> ends_of_rows(const std::vector<bool>& measured) {
  const std::size_t n = measured.size(), most = (n + most_rows_of_page - 1) / most_rows_of_page;
  const auto alone = static_cast<std::size_t>(std::ranges::count(measured, true));
  const bool apart = alone < most_rows_of_page / 4;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0, in_row = 1; i < n; ++i, ++in_row) {
    const bool next_alone = i + 1 == n || (apart && measured[i + 1]);
    if (in_row < most && i > 0 && !next_alone && !(apart && measured[i])) continue;
    ends.push_back(i);
    in_row = 0;
  }
  return ends;
}

json at_ends(const json& list, const std::vector<std::size_t>& ends) {
  json short_list = json::array();
  for (const std::size_t end : ends) {
    if (end < list.size()) short_list.push_back(list[end]);
  }
  return short_list;
}

/// The value of largest magnitude within each row of the page.
json largest(const json& list, const std::vector<std::size_t>& ends) {
  json short_list = json::array();
  std::size_t next = 0;
  for (const std::size_t end : ends) {
    json most = list.at(next);
    for (std::size_t i = next; i <= end; ++i) {
      const json& value = list.at(i);
      if (known(value) && std::fabs(amount(value)) >= std::fabs(amount(most))) most = value;
    }
    short_list.push_back(std::move(most));
    next = end + 1;
  }
  return short_list;
}

json short_steps(const json& steps, const std::vector<bool>& measured, const std::vector<std::size_t>& ends) {
  json rows = json::array();
  std::size_t next = 0;
  for (const std::size_t end : ends) {
    json row = short_row(steps[next]);
    for (std::size_t i = next + 1; i <= end; ++i) merge(row, short_row(steps[i]));
    const json time = row["time"], z = row["z"];
    cut_digits(row);
    row.update({{"step", steps[end].at("step")}, {"time", time}, {"z", z}});
    if (measured[end]) row["measured"] = true;
    rows.push_back(std::move(row));
    next = end + 1;
  }
  return rows;
}

}  // namespace

json short_report(json report) {
  const std::vector<bool> measured = measured_steps(report);
  const std::vector<std::size_t> ends = ends_of_rows(measured);
  json& energy = report.at("energy").at("steps");
  energy = largest(energy, ends);
  report["steps"] = short_steps(report["steps"], measured, ends);
  cut_digits(energy);
  if (!report.contains("diagnostics")) return report;
  json& diagnostics = report["diagnostics"];
  for (auto& [name, list] : diagnostics.items()) {
    if (name == "lagrangian_fractions") continue;
    list = at_ends(list, ends);
    if (name != "time") cut_digits(list);
  }
  for (const char* unused : {"momentum", "density_centre", "density_radius", "kinetic_energy", "potential_energy"})
    diagnostics.erase(unused);
  return report;
}

}  // namespace multiwalk
