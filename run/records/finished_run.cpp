// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/finished_run.hpp"

#include <filesystem>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/files/json_output.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

std::string report_in(const std::string& directory) {
  return directory + "/report.json";
}

}  // namespace

bool is_finished(const json& report) {
  return report.value("finished", false);
}

std::optional<RunEnd> end_of_finished_run(const std::string& directory) {
  if (!std::filesystem::exists(report_in(directory))) return std::nullopt;
  try {
    const json report = read_json(report_in(directory));
    if (!is_finished(report)) return std::nullopt;
    const json& outputs = report.at("outputs");
    return RunEnd{outputs.at(outputs.size() - 1).at("time").get<double>(), report.at("comoving").get<bool>()};
  } catch (const json::exception&) {
  } catch (const InputError&) {
  }
  return std::nullopt;
}

void begin_again(const std::string& directory) {
  if (!end_of_finished_run(directory)) return;
  json report = read_json(report_in(directory));
  report["finished"] = false;
  write_file_atomically(report_in(directory), json_text(report, 1) + "\n");
}

}  // namespace multiwalk
