// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/ensemble_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

bool equal_to_rounding(double a, double b) {
  constexpr double rounding = 1e-6;
  return std::fabs(a - b) <= rounding * std::max({std::fabs(a), std::fabs(b), rounding});
}

[[noreturn]] void refuse_run(const RunMeasurement& run, const RunMeasurement& first, const std::string& what) {
  throw InputError(fmt::format("{}: its {} differ from those of {}: it belongs to another ensemble",
                               run.realisation.name(), what, first.realisation.name()));
}

void require_same_outputs(const RunMeasurement& run, const RunMeasurement& first) {
  const bool same = std::ranges::equal(
      run.outputs, first.outputs,
      [](const OutputMeasurement& a, const OutputMeasurement& b) { return equal_to_rounding(a.time, b.time); });
  if (!same) refuse_run(run, first, "output times");
}

/// `get`: the power of a run at the output.
template <class Get>
EnsembleFunction power_function(const std::vector<RunMeasurement>& runs, Get get) {
  const PowerMeasurement& first = get(runs.front());
  EnsembleFunction function{.name = "PowerSpectrum",
                            .unit = "(Mpc/h)^3",
                            .squared_unit = "(Mpc/h)^6",
                            .meaning = "matter power spectrum P(k)",
                            .columns = {{"Wavenumber", "h/Mpc", "mean wavenumber of the modes of a bin", first.k},
                                        {"Modes", "", "wave vectors of a bin, k and -k as two", first.modes},
                                        {"LinearPower", "(Mpc/h)^3", "linear theory, mean over the bin", first.linear}},
                            .values = {},
                            .shot_noise = first.shot_noise,
                            .shot_noise_subtracted = first.shot_noise_subtracted,
                            .fit = {}};
  for (const RunMeasurement& run : runs) {
    const PowerMeasurement& power = get(run);
    if (!std::ranges::equal(power.k, first.k, equal_to_rounding)) refuse_run(run, runs.front(), "bins of power");
    function.values.add(power.values);
  }
  return function;
}

/// The values of the column, of bins that a run lacks `missing`.
std::vector<double> extended(std::vector<double> values, std::size_t bins, double missing) {
  values.resize(bins, missing);
  return values;
}

/// Sums over the runs: counts, mean masses weighted by them, and means of the fit where it is known.
struct MassColumns {
  std::vector<double> counts, mass, fitted, fits;

  explicit MassColumns(std::size_t bins) : counts(bins, 0), mass(bins, 0), fitted(bins, 0), fits(bins, 0) {}

  void add(const MassMeasurement& run) {
    for (std::size_t i = 0; i < run.low.size(); ++i) {
      counts[i] += run.counts[i];
      mass[i] += run.counts[i] * run.mass[i];
      if (!std::isfinite(run.fitted[i])) continue;
      fitted[i] += run.fitted[i];
      fits[i] += 1;
    }
  }
  void finish(const MassMeasurement& bins) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      mass[i] = counts[i] > 0 ? mass[i] / counts[i] : std::sqrt(bins.low[i] * bins.high[i]);
      fitted[i] = fits[i] > 0 ? fitted[i] / fits[i] : std::numeric_limits<double>::quiet_NaN();
    }
  }
};

/// `get`: the mass function of a run at the output.
template <class Get>
EnsembleFunction mass_function(const std::vector<RunMeasurement>& runs, const char* name, const char* what, Get get) {
  const RunMeasurement& most =
      *std::ranges::max_element(runs, {}, [&](const RunMeasurement& run) { return get(run).low.size(); });
  const MassMeasurement& bins = get(most);
  MassColumns sums(bins.low.size());
  EnsembleFunction function{.name = name,
                            .unit = "(h/Mpc)^3",
                            .squared_unit = "(h/Mpc)^6",
                            .meaning = fmt::format("halo mass function dn/dlnM, {}", what),
                            .columns = {},
                            .values = {},
                            .fit = bins.fit};
  for (const RunMeasurement& run : runs) {
    const MassMeasurement& one = get(run);
    const std::span<const double> edges = std::span(bins.low).first(one.low.size());
    if (!std::ranges::equal(one.low, edges, equal_to_rounding)) refuse_run(run, most, "bins of halo masses");
    function.values.add(extended(one.values, bins.low.size(), 0));
    sums.add(one);
  }
  sums.finish(bins);
  function.columns = {{"MassLow", "Msun/h", "lower edge of a bin", bins.low},
                      {"MassHigh", "Msun/h", "upper edge, not in the bin", bins.high},
                      {"Mass", "Msun/h", "mean mass of the halos of all runs", sums.mass},
                      {"Halos", "", "number of halos of all runs", sums.counts},
                      {"Fit", "(h/Mpc)^3", "dn/dlnM of the fit to simulations", sums.fitted}};
  return function;
}

EnsembleOutput collected_output(const std::vector<RunMeasurement>& runs, std::size_t i) {
  const OutputMeasurement& first = runs.front().outputs[i];
  EnsembleOutput output{first.time, first.redshift, {}};
  if (!first.power.k.empty()) {
    output.functions.push_back(power_function(
        runs, [i](const RunMeasurement& run) -> const auto& { return run.outputs[i].power; }));
  }
  const auto has = [&](auto get) {
    return std::ranges::any_of(runs, [&](const auto& run) { return !get(run).low.empty(); });
  };
  const auto fof = [i](const RunMeasurement& run) -> const auto& {
    return run.outputs[i].fof;
  };
  const auto mean200 = [i](const RunMeasurement& run) -> const auto& {
    return run.outputs[i].mean200;
  };
  if (has(fof)) output.functions.push_back(mass_function(runs, "MassFunctionFOF", "friends of friends", fof));
  if (has(mean200)) {
    output.functions.push_back(
        mass_function(runs, "MassFunctionM200m", "spheres of 200 times the mean density", mean200));
  }
  return output;
}

/// The rows of these realisations, in their order.
Samples rows_of(const Samples& all, const std::vector<Realisation>& realisations,
                const std::vector<Realisation>& wanted) {
  Samples rows{all.variables, {}};
  for (const Realisation& one : wanted) {
    const auto place = std::ranges::find(realisations, one) - realisations.begin();
    rows.add(all.row(static_cast<std::size_t>(place)));
  }
  return rows;
}

}  // namespace

const std::vector<double>& EnsembleFunction::column(const std::string& wanted) const {
  return std::ranges::find(columns, wanted, &EnsembleColumn::name)->values;
}

EnsembleResults collected_results(const std::vector<RunMeasurement>& runs) {
  EnsembleResults results;
  if (runs.empty()) return results;
  results.particles = runs.front().particles;
  results.comoving = runs.front().comoving;
  for (const RunMeasurement& run : runs) {
    require_same_outputs(run, runs.front());
    results.realisations.push_back(run.realisation);
  }
  for (std::size_t i = 0; i < runs.front().outputs.size(); ++i) {
    results.outputs.push_back(collected_output(runs, i));
    results.size = std::max(results.size, runs.front().outputs[i].power.box_size);
  }
  return results;
}

std::vector<std::uint64_t> paired_seeds(const std::vector<Realisation>& realisations) {
  std::vector<std::uint64_t> seeds;
  for (const Realisation& one : realisations) {
    if (!one.paired && std::ranges::find(realisations, Realisation{one.seed, true}) != realisations.end()) {
      seeds.push_back(one.seed);
    }
  }
  return seeds;
}

FunctionStatistics function_statistics(const EnsembleFunction& function, const std::vector<Realisation>& realisations) {
  std::array<std::vector<Realisation>, 2> kinds, members;  // of all, and of pairs: runs, partners
  for (const Realisation& one : realisations) kinds[one.paired ? 1 : 0].push_back(one);
  for (const std::uint64_t seed : paired_seeds(realisations)) {
    for (const bool paired : {false, true}) members[paired ? 1 : 0].push_back({seed, paired});
  }
  const auto rows = [&](const std::vector<Realisation>& wanted) {
    return rows_of(function.values, realisations, wanted);
  };
  const std::array<Samples, 2> groups{rows(kinds[0]), rows(kinds[1])};
  FunctionStatistics statistics{.runs = sample_statistics(groups), .pairs = {}, .variance_ratio = {}};
  if (members[0].empty()) return statistics;
  statistics.pairs = sample_statistics(pair_averages(rows(members[0]), rows(members[1])));
  statistics.variance_ratio = pair_variance_ratio(statistics.pairs, statistics.runs);
  return statistics;
}

}  // namespace multiwalk
