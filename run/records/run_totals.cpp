// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/run_totals.hpp"

#include <algorithm>
#include <cmath>

namespace multiwalk {

CensusRatio::CensusRatio(const RunRecord& record, Comparison comparison)
    : comoving_(record.comoving), particles_(record.particles) {
  for (const CensusRecord& census : record.census) {
    const bool effective = comparison == Comparison::effective;
    const double pairs = effective ? census.effective.pairs : census.equal_error_pairs;
    if (!(pairs > 0) || census.raw_pairs == 0) continue;
    const double ratio = static_cast<double>(census.raw_pairs) / pairs;
    const double error = effective ? census.effective.standard_error : 0;
    epochs_.push_back({place(census.step, census.a), ratio, ratio * error / pairs});
  }
  std::ranges::stable_sort(epochs_, {}, &Epoch::place);
}

double CensusRatio::place(std::uint64_t step, double a) const {
  return comoving_ ? std::log(a) : static_cast<double>(step);
}

double CensusRatio::middle(const StepRecord& step) const {
  const double before = comoving_ ? step.behind : 0.5 * static_cast<double>(step.covered - 1);
  return place(step.step, step.a) - before;
}

CensusRatio::Bracket CensusRatio::bracket(const StepRecord& step) const {
  const double here = middle(step);
  const auto after =
      static_cast<std::size_t>(std::ranges::upper_bound(epochs_, here, {}, &Epoch::place) - epochs_.begin());
  if (after == 0) return {0, 0, 0};
  if (after == epochs_.size()) return {after - 1, after - 1, 0};
  const double first = epochs_[after - 1].place;
  return {after - 1, after, (here - first) / (epochs_[after].place - first)};
}

double CensusRatio::at(const StepRecord& step) const {
  const Bracket b = bracket(step);
  return (1 - b.weight) * epochs_[b.before].ratio + b.weight * epochs_[b.after].ratio;
}

double CensusRatio::pairs_of(const StepRecord& step) const {
  const double evaluations_of_all = step.block.substeps > 0 ? static_cast<double>(particles_) : 1;
  return step.raw_if_full() / evaluations_of_all / at(step);
}

EffectiveCount CensusRatio::total(const std::vector<StepRecord>& steps) const {
  EffectiveCount total;
  std::vector<double> derivative(epochs_.size());
  for (const StepRecord& step : steps) {
    const Bracket b = bracket(step);
    const double ratio = at(step), pairs = pairs_of(step);
    total.pairs += pairs;
    derivative[b.before] -= (1 - b.weight) * pairs / ratio;
    derivative[b.after] -= b.weight * pairs / ratio;
  }
  double variance = 0;
  for (std::size_t i = 0; i < epochs_.size(); ++i) variance += std::pow(derivative[i] * epochs_[i].error, 2);
  total.standard_error = std::sqrt(variance);
  return total;
}

TimeBreakdown time_breakdown(const PhaseSeconds& seconds) {
  const auto of = [&](std::initializer_list<Phase> phases) {
    double sum = 0;
    for (const Phase phase : phases) sum += seconds[static_cast<std::size_t>(phase)];
    return sum;
  };
  TimeBreakdown parts;
  parts.mpi = of({Phase::decompose, Phase::let});
  parts.tree_walk = of({Phase::walk, Phase::pack, Phase::transfer, Phase::device});
  parts.miscellaneous = of({Phase::sort, Phase::tree, Phase::integration, Phase::io, Phase::other, Phase::mesh});
  return parts;
}

RunTotals run_totals(const RunRecord& record, const CostParameters& prices) {
  RunTotals totals;
  double stepping = 0, evaluations = 0;
  for (const StepRecord& step : record.steps) {
    totals.steps = std::max(totals.steps, step.step);
    totals.raw += step.raw;
    totals.ranks += step.ranks;
    totals.substeps += step.block.substeps > 0 ? step.block.substeps : step.covered;
    evaluations += step.evaluations(record.particles);
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
      totals.seconds[phase] += step.seconds[phase];
      stepping += step.seconds[phase];
    }
  }
  totals.evaluations = static_cast<double>(record.particles) * evaluations;
  if (stepping > 0) totals.particles_per_second = totals.evaluations / stepping;
  const CensusRatio ratio(record);
  if (ratio.known()) {
    EffectiveCount effective = ratio.total(record.steps);
    for (const CensusRecord& census : record.census) effective.sample += census.effective.sample;
    if (effective.pairs >= 0) totals.effective = effective;  // a manipulated checkpoint may hold anything
  }
  const CensusRatio equal_error(record, Comparison::equal_error);
  if (equal_error.known()) totals.equal_error_pairs = equal_error.total(record.steps).pairs;
  totals.cost = cost_figures(
      static_cast<double>(totals.raw.total()), totals.effective ? totals.effective->pairs : 0, record.wall_seconds,
      {prices.machine_price, prices.device_price, prices.network_price, prices.hourly_price, record.devices},
      record.device_joules, record.operations_per_pair);
  return totals;
}

}  // namespace multiwalk
