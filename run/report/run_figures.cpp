// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/report/run_figures.hpp"

#include "run/records/run_totals.hpp"

namespace multiwalk {

std::optional<RunFigures> sustained_figures(const RunRecord& record, const CostParameters& prices) {
  const CensusRatio ratio(record);
  RunFigures sum;
  double effective = 0, joules = 0;
  bool metered = record.devices > 0;
  for (const StepRecord& step : record.steps) {
    if (step.step == 0) continue;
    sum.steps += static_cast<double>(step.covered);
    sum.seconds += total(step.seconds);
    sum.raw_pairs += static_cast<double>(step.raw.total());
    if (ratio.known()) effective += ratio.pairs_of(step);
    metered = metered && step.joules;
    joules += step.joules.value_or(0);
  }
  if (sum.steps == 0) return std::nullopt;
  sum.particles = static_cast<double>(record.particles);
  sum.devices = record.devices;
  if (ratio.known() && effective >= 0) sum.effective_pairs = effective;  // epochs of a changed checkpoint may be any
  if (metered) sum.joules = joules;
  sum.price = run_totals(record, prices).cost.price;
  sum.operations = record.operations_per_pair;
  return sum;
}

nlohmann::json figures_json(const RunFigures& figures) {
  const CostFigures cost =
      cost_figures(figures.raw_pairs, figures.effective_pairs.value_or(0), figures.seconds,
                   {figures.price, std::nullopt, std::nullopt, std::nullopt, 0}, figures.joules, figures.operations);
  const auto over = [](const std::optional<double>& value, double divisor) {
    return value && divisor > 0 ? nlohmann::json(*value / divisor) : nlohmann::json();
  };
  std::optional<double> effective;
  if (figures.effective_pairs) effective = cost.tflops_effective;
  const double speed = figures.seconds > 0 ? figures.particles * figures.steps / figures.seconds : 0;
  nlohmann::json record{{"particles", figures.particles},
                        {"steps", figures.steps},
                        {"devices", figures.devices},
                        {"seconds_per_step", figures.seconds / figures.steps},
                        {"raw_list", figures.raw_pairs / (figures.particles * figures.steps)},
                        {"tflops_raw", cost.tflops_raw},
                        {"particles_per_second", speed}};
  record["effective_list"] = over(figures.effective_pairs, figures.particles * figures.steps);
  record["tflops_effective"] = over(effective, 1);
  record["tflops_effective_per_device"] = over(effective, figures.devices);
  record["price"] = over(figures.price, 1);
  record["price_per_gflops_effective"] = over(cost.per_gflops_effective, 1);
  record["particles_per_second_per_price"] = over(speed, figures.price.value_or(0));
  record["joules_per_step"] = over(figures.joules, figures.steps);
  record["joules_per_effective_pair"] = over(cost.joules_per_effective_pair, 1);
  return record;
}

}  // namespace multiwalk
