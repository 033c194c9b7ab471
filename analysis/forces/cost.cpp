// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/forces/cost.hpp"

#include "analysis/forces/interaction_census.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

std::optional<double> total_price(const Prices& prices) {
  if (!prices.machine && !prices.device && !prices.network) return std::nullopt;
  return prices.machine.value_or(0) + prices.devices * prices.device.value_or(0) + prices.network.value_or(0);
}

/// Price over speed in Gflops; null without a price or without interactions.
std::optional<double> per_gflops(std::optional<double> price, double tflops) {
  if (!price || !(tflops > 0)) return std::nullopt;
  return *price / (1e3 * tflops);
}

}  // namespace

CostFigures cost_figures(double raw_pairs, double effective_pairs, double wall_seconds, const Prices& prices,
                         std::optional<double> device_joules, double operations) {
  require(raw_pairs >= 0 && effective_pairs >= 0 && wall_seconds >= 0, "cost_figures: negative count or time");
  CostFigures figures;
  if (wall_seconds > 0) {
    figures.tflops_raw = operations * raw_pairs / wall_seconds * 1e-12;
    figures.tflops_effective = operations * effective_pairs / wall_seconds * 1e-12;
  }
  figures.price = total_price(prices);
  figures.per_gflops_raw = per_gflops(figures.price, figures.tflops_raw);
  figures.per_gflops_effective = per_gflops(figures.price, figures.tflops_effective);
  if (prices.hourly) figures.run_cost = *prices.hourly * wall_seconds / 3600;
  if (device_joules && effective_pairs > 0) figures.joules_per_effective_pair = *device_joules / effective_pairs;
  return figures;
}

}  // namespace multiwalk
