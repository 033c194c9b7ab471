// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/own_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "decomposition/ranks/agree.hpp"

namespace multiwalk {

namespace {

bool is_moment(double a, double b) {
  constexpr double rounding = 2e-12;  // the schedule merges times that differ by 1e-12
  return std::fabs(a - b) <= rounding * std::max(std::fabs(a), std::fabs(b));
}

bool belongs_to(const RunningFiles& made, const std::string& stem) {
  return !made.files.empty() && std::filesystem::path(made.files.front()).filename().string().starts_with(stem);
}

/// "; WHAT at z = 9, 5" of the times up to `now` that were not made.
std::string missing(const OwnTimes& wanted, const std::vector<double>& made, double now, bool comoving) {
  std::string list;
  const auto tell_unless = [&](const auto& serves, double time) {
    if ((time > now && !is_moment(time, now)) || std::ranges::any_of(made, serves)) return;
    list += fmt::format("{}{:.6g}", list.empty() ? "" : ", ", comoving ? 1 / time - 1 : time);
  };
  for (const double time : wanted.times) {
    tell_unless([time](double other) { return is_moment(time, other); }, time);
  }
  for (const double time : wanted.about) {
    tell_unless([time](double other) { return other > time || is_moment(time, other); }, time);
  }
  return list.empty() ? "" : fmt::format("; {} at {} = {}", wanted.what, comoving ? "z" : "t", list);
}

}  // namespace

std::string passed_outputs(const OutputSchedule& schedule, std::span<const OwnTimes> own, const RunRecord& record,
                           double now) {
  std::vector<double> made;
  for (const OutputRecord& output : record.outputs) made.push_back(output.time);
  const auto times = schedule.times();
  std::string all = missing({"outputs", "", {times.begin(), times.end()}}, made, now, record.comoving);
  for (const OwnTimes& wanted : own) {
    made.clear();
    for (const RunningFiles& files : record.running_outputs) {
      if (belongs_to(files, wanted.stem)) made.push_back(files.time);
    }
    all += missing(wanted, made, now, record.comoving);
  }
  return all.empty() ? "" : all.substr(2);
}

std::size_t next_number(const RunRecord& record, const std::string& stem) {
  std::size_t next = 0;
  for (const RunningFiles& files : record.running_outputs) {
    if (!belongs_to(files, stem)) continue;
    const std::string name = std::filesystem::path(files.files.front()).filename().string();
    next = std::max<std::size_t>(next, std::strtoul(name.c_str() + stem.size(), nullptr, 10) + 1);
  }
  return next;
}

void require_in_run(const char* name, const std::vector<double>& redshifts, double first_time) {
  constexpr double rounding = 1e-12;
  for (const double z : redshifts) {
    if (1 / (1 + z) < first_time * (1 - rounding)) {
      throw SharedError(
          fmt::format("{}: {} lies before the start of the run at z = {:.6g}", name, z, 1 / first_time - 1));
    }
  }
}

}  // namespace multiwalk
