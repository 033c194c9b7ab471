// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/finished_run.hpp"

namespace multiwalk {

bool is_finished(const nlohmann::json& report) {
  if (report.at("outputs").empty()) return false;
  const nlohmann::json& last = report.at("outputs").back();
  const nlohmann::json& time = report.at("parameters").at("time");
  constexpr double rounding = 1e-9;
  if (report.at("comoving").get<bool>()) {
    return last.at("z").get<double>() <= time.at("z_end").get<double>() + rounding;
  }
  return last.at("time").get<double>() >= time.at("t_end").get<double>() * (1 - rounding);
}

bool ends_without_checkpoint(const nlohmann::json& report) {
  return !report.at("parameters").at("run").value("final_checkpoint", true);
}

}  // namespace multiwalk
