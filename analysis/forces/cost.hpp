// SPDX-License-Identifier: GPL-3.0-or-later
// Sustained speed in the 38-operation convention, and what a Gflops costs.
#pragma once

#include <optional>

namespace multiwalk {

struct Prices {
  std::optional<double> machine, device, network;  ///< in the parameter file's currency
  std::optional<double> hourly;
  int devices = 0;
};

struct CostFigures {
  double tflops_raw = 0;  ///< decimal, over the whole wall time
  double tflops_effective = 0;
  std::optional<double> price;  ///< total; null without any price
  std::optional<double> per_gflops_raw, per_gflops_effective;
  std::optional<double> run_cost;                   ///< hourly price x wall time
  std::optional<double> joules_per_effective_pair;  ///< devices only
};

/// `operations` per pair by convention: 38, or 57 with the jerk.
CostFigures cost_figures(double raw_pairs, double effective_pairs, double wall_seconds, const Prices& prices,
                         std::optional<double> device_joules, double operations = 38);

}  // namespace multiwalk
