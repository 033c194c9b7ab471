// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/realisation_state.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "host/base/error.hpp"
#include "run/ensemble/run_measurement.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/machine/version.hpp"
#include "run/records/finished_run.hpp"
#include "run/report/report_check.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string failure_file(const std::string& ensemble, const Realisation& realisation) {
  return fmt::format("{}/{}.failed", ensemble, realisation.name());
}

std::string report_path(const std::string& ensemble, const Realisation& realisation) {
  return fmt::format("{}/{}/report.json", ensemble, realisation.name());
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::optional<double> number_or_none(const json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

void require_this(const json& report, const Realisation& realisation, const std::string& directory) {
  const json& parameters = report.at("parameters");
  const Realisation found{whole_number(parameters.at("model").at("seed")),
                          parameters.at("ic").at("paired").get<bool>()};
  if (found == realisation) return;
  throw InputError(fmt::format("{} holds a run of {}: move it out of the ensemble", directory, found.text()));
}

/// None if there is no report or it is damaged: the run will write it again. A report that cannot be read or that
/// another version of the program wrote is an error: its run may well be finished.
std::optional<json> sound_report(const std::string& ensemble, const Realisation& realisation) {
  const std::string path = report_path(ensemble, realisation);
  if (!fs::exists(path)) return std::nullopt;
  const std::string text = read_whole_file(path);
  json report;
  try {
    report = parse_json(text, path);
    check_report(report, path);
    run_measurement(realisation, report);
    return report;
  } catch (const InputError&) {
    const json version = report.is_object() ? report.value("version", json()) : json();
    if (version.is_string() && version != version_short()) throw;
  }
  return std::nullopt;
}

}  // namespace

std::string_view progression_name(Progression progression) {
  constexpr std::array<std::string_view, 4> names{"waiting", "unfinished", "failed", "finished"};
  return names.at(static_cast<std::size_t>(progression));
}

json read_report(const std::string& ensemble, const Realisation& realisation) {
  const std::string path = report_path(ensemble, realisation);
  json report = read_json(path);
  check_report(report, path);
  return report;
}

RealisationState look_at(const std::string& ensemble, const Realisation& realisation) {
  RealisationState state{.realisation = realisation};
  const fs::path directory = fs::path(ensemble) / realisation.name();
  if (fs::is_directory(directory) && !fs::is_empty(directory)) state.progression = Progression::unfinished;
  if (const std::optional<json> report = sound_report(ensemble, realisation)) {
    try {
      require_this(*report, realisation, directory.string());
      const json& totals = report->at("totals");
      state.seconds = number_or_none(totals.at("wall_seconds")).value_or(0);
      state.joules = number_or_none(totals.at("device_joules"));
      state.cost = number_or_none(totals.at("run_cost"));
      if (is_finished(*report)) state.progression = Progression::finished;
    } catch (const json::exception&) {  // damaged, too
    }
  }
  if (const std::string note = failure_file(ensemble, realisation); !state.finished() && fs::exists(note)) {
    state.progression = Progression::failed;
    state.error = first_line(read_whole_file(note));
  }
  return state;
}

void note_failure(const std::string& ensemble, const Realisation& realisation, const std::string& error) {
  write_file_atomically(failure_file(ensemble, realisation), first_line(error) + "\n");
}

void forget_failure(const std::string& ensemble, const Realisation& realisation) {
  fs::remove(failure_file(ensemble, realisation));
}

}  // namespace multiwalk
