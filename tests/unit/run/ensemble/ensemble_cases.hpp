// SPDX-License-Identifier: GPL-3.0-or-later
// Realisations as runs leave them, without the runs.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/ensemble/realisation.hpp"
#include "run/report/report.hpp"

namespace multiwalk::test {

/// An entry of an output: bins at k = 0.1, 0.2, ... h/Mpc.
inline nlohmann::json power_entry(const std::vector<double>& power) {
  nlohmann::json bins = nlohmann::json::array();
  for (std::size_t i = 0; i < power.size(); ++i) {
    bins.push_back({{"k", 0.1 * static_cast<double>(i + 1)},
                    {"power", power[i]},
                    {"sigma", 1.0},
                    {"modes", 6 * (i + 1)},
                    {"fold", 0},
                    {"linear", 100.0}});
  }
  return {{"file", ""},
          {"particles", 4096},
          {"box_size", 64.0},
          {"shot_noise", 2.0},
          {"shot_noise_subtracted", false},
          {"cosmology", nlohmann::json::object()},
          {"bins", bins}};
}

/// An entry of an output: bins of a factor 2 from 1e12 Msun/h with these numbers of halos in 1000 (Mpc/h)^3.
inline nlohmann::json halo_entry(const std::vector<double>& counts) {
  nlohmann::json bins = nlohmann::json::array();
  double low = 1e12;
  for (const double count : counts) {
    bins.push_back({{"low", low},
                    {"high", 2 * low},
                    {"mass", count > 0 ? (1.2 + 0.02 * count) * low : 1.4 * low},
                    {"count", count},
                    {"density", count / 1000},
                    {"error", 0.0},
                    {"fitted", 0.5}});
    low *= 2;
  }
  const nlohmann::json function{{"fit", "somebody"}, {"bins", bins}};
  return {{"file", ""},
          {"halos", 1},
          {"members", 40},
          {"mass_functions", {{"redshift", 0}, {"volume", 1000.0}, {"fof", function}, {"mean200", function}}}};
}

/// Leaves the report of a run with an output at redshift z, where z <= 0 is its end.
inline void leave_run(const std::string& ensemble, const Realisation& realisation, double z,
                      const std::vector<double>& power, const nlohmann::json& halos = nullptr) {
  Parameters parameters;
  parameters.model.kind = ModelKind::box;
  parameters.model.seed = realisation.seed;
  parameters.ic.paired = realisation.paired;
  parameters.cost.hourly_price = 3600;
  RunRecord record;
  record.particles = 4096;
  record.wall_seconds = 10 + static_cast<double>(realisation.seed);
  record.device_joules = 500;
  record.devices = 1;
  record.finished = z <= 0;
  record.outputs.push_back(
      {1 / (1 + z),
       z,
       {{"snapshots", nlohmann::json::array()}, {"image", ""}, {"halos", halos}, {"power", power_entry(power)}}});
  const std::string directory = ensemble + "/" + realisation.name();
  std::filesystem::create_directories(directory);
  write_report(directory, record, parameters);
}

}  // namespace multiwalk::test
