// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/passed_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <vector>

namespace multiwalk {

namespace {

bool nearly_equal(double a, double b) {
  constexpr double rounding = 2e-12;  // the schedule merges times that differ by 1e-12
  return std::fabs(a - b) <= rounding * std::max(std::fabs(a), std::fabs(b));
}

bool belongs_to(const RunningFiles& made, const std::string& stem) {
  return !made.files.empty() && std::filesystem::path(made.files.front()).filename().string().starts_with(stem);
}

/// "; WHAT at z = 9, 5" of the times up to `now` that are not among those made.
std::string missing(const std::string& what, std::span<const double> times, const std::vector<double>& made, double now,
                    bool comoving) {
  std::string list;
  for (const double time : times) {
    const auto same = [&](double other) { return nearly_equal(time, other); };
    if ((time > now && !nearly_equal(time, now)) || std::ranges::any_of(made, same)) continue;
    list += fmt::format("{}{:.6g}", list.empty() ? "" : ", ", comoving ? 1 / time - 1 : time);
  }
  return list.empty() ? "" : fmt::format("; {} at {} = {}", what, comoving ? "z" : "t", list);
}

}  // namespace

std::string passed_outputs(const OutputSchedule& schedule, const RunningOutputs& running, const RunRecord& record,
                           double now) {
  std::vector<double> made;
  for (const OutputRecord& output : record.outputs) made.push_back(output.time);
  std::string all = missing("outputs", schedule.times(), made, now, record.comoving);
  for (const auto& output : running) {
    const TimesOfFiles wanted = output->times();
    made.clear();
    for (const RunningFiles& files : record.running_outputs) {
      if (belongs_to(files, wanted.stem)) made.push_back(files.time);
    }
    all += missing(wanted.what, wanted.times, made, now, record.comoving);
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

}  // namespace multiwalk
