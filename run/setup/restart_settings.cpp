// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/setup/restart_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/records/finished_run.hpp"
#include "run/snapshots/checkpoint.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

namespace {

std::string absolute(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).lexically_normal().string();
}

}  // namespace

void settle_table(Parameters& now, const Parameters& then) {
  std::string& table = now.ic.transfer_file;
  const fs::path before = then.ic.transfer_file;
  const bool moved = !fs::exists(table) && fs::path(table).filename() == before.filename();
  table = absolute(moved ? before.string() : table);
}

bool is_same_universe(const Parameters& now, const Parameters& then) {
  Parameters same = now;
  same.model = then.model;
  same.ic = then.ic;
  same.ic.transfer_file = absolute(then.ic.transfer_file);
  // A file brings its cosmology with it.
  if (then.model.kind != ModelKind::file) same.cosmology = then.cosmology;
  Parameters settled = now;
  settle_table(settled, then);
  return to_toml(same) == to_toml(settled);
}

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

std::string changed_settings(const Parameters& then, const Parameters& now, SettingsOf which) {
  std::vector<std::string> changes;
  for (const ParameterChange& change : parameter_changes(then, now)) {
    if (change.key != "run.directory" && change.ends_run == (which == SettingsOf::end))
      changes.push_back(fmt::format("{} from {} to {}", change.key, change.was, change.is));
  }
  return fmt::format("{}", fmt::join(changes, ", "));
}

std::string settings_warning(const Parameters& then, const std::optional<Parameters>& echoed, const Parameters& now) {
  const std::string since = changed_settings(then, now, SettingsOf::rest);
  const std::string other = echoed ? changed_settings(*echoed, now, SettingsOf::rest) : "";
  const std::string first = since.empty() ? "" : "changed since the checkpoint: " + since;
  const std::string second = other.empty() || other == since ? "" : "other settings than parameters.toml has: " + other;
  return joined(first, second);
}

std::string already_finished(const RunRequest& request, const Communicator& comm) {
  if (request.restart.empty()) return "";
  return text_from_root(comm, [&]() -> std::string {
    const std::string echo = request.restart + "/parameters.toml";
    const std::optional<RunEnd> end = end_of_finished_run(request.restart);
    if (!end || checkpoints_in(request.restart).empty() || !fs::exists(echo)) return "";
    const Parameters then = read_parameters(echo);
    const Parameters now =
        read_parameters(request.parameter_file.empty() ? echo : request.parameter_file, request.settings);
    const auto moves = [](const std::string& setting) { return setting.starts_with("run.directory="); };
    if (!is_same_universe(now, then) || std::ranges::any_of(request.settings, moves)) return "";  // to be refused
    constexpr double rounding = 1e-9;
    const double last = end->comoving ? 1 / (1 + now.time.z_end) : now.time.t_end;
    if (last > end->time * (1 + rounding)) return "";
    const std::string end_changes = changed_settings(then, now, SettingsOf::end);
    const std::string rest = changed_settings(then, now, SettingsOf::rest);
    const std::string changes = end_changes + (end_changes.empty() || rest.empty() ? "" : ", ") + rest;
    return fmt::format("{} is finished: its report is {}/report.html{}", request.restart, request.restart,
                       changes.empty() ? "" : "; without effect: " + changes);
  });
}

}  // namespace multiwalk
