// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/ensemble_page.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace multiwalk {

namespace {

using nlohmann::json;

/// Bins whose places (wavenumbers, masses) are at least this factor apart, from the first on.
std::vector<std::size_t> spaced_bins(const std::vector<double>& places, double factor) {
  std::vector<std::size_t> kept;
  double next = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < next) continue;
    kept.push_back(i);
    next = factor * places[i];
  }
  return kept;
}

/// {x, rows}: the correlation of bins that can be told apart on a picture; two digits.
json matrix_json(const SampleStatistics& statistics, const std::vector<double>& places) {
  if (statistics.samples < 2 || places.empty()) return nullptr;
  constexpr double most = 48;
  const std::vector<std::size_t> bins = spaced_bins(places, std::pow(places.back() / places.front(), 1 / most));
  json x = json::array(), rows = json::array();
  for (const std::size_t i : bins) {
    x.push_back(places[i]);
    json row = json::array();
    for (const std::size_t j : bins) {
      row.push_back(std::round(100 * statistics.correlation[i * places.size() + j]) / 100);
    }
    rows.push_back(std::move(row));
  }
  return {{"x", x}, {"rows", rows}};
}

/// Mean, scatter and what else both kinds of function have, of one bin.
json statistics_row(const FunctionStatistics& statistics, std::size_t i) {
  const double scatter = statistics.runs.scatter[i];
  const bool pairs = statistics.pairs.samples > 0;
  const SampleStatistics& independent = pairs ? statistics.pairs : statistics.runs;
  return {{"scatter", scatter},
          {"error_of_mean", independent.scatter[i] / std::sqrt(static_cast<double>(independent.samples))},
          {"variance_ratio", pairs ? json(statistics.variance_ratio[i]) : json()}};
}

json power_data(const EnsembleFunction& function, const FunctionStatistics& statistics) {
  const auto& k = function.column("Wavenumber");
  const auto& modes = function.column("Modes");
  const auto& linear = function.column("LinearPower");
  json bins = json::array();
  for (const std::size_t i : spaced_bins(k, 1.03)) {
    json row = statistics_row(statistics, i);
    const double mean = statistics.runs.mean[i];
    row.update({{"k", k[i]}, {"power", mean}, {"modes", modes[i]}, {"linear", linear[i]}, {"sigma", row["scatter"]}});
    // Gaussian modes: the power with its shot noise times sqrt(2 / modes).
    const double whole = mean + (function.shot_noise_subtracted ? function.shot_noise : 0);
    row["expected_scatter"] = whole * std::sqrt(2 / modes[i]);
    bins.push_back(std::move(row));
  }
  return {{"shot_noise", function.shot_noise},
          {"shot_noise_subtracted", function.shot_noise_subtracted},
          {"cosmology", json::object()},
          {"bins", bins}};
}

json mass_data(const EnsembleFunction& function, const FunctionStatistics& statistics) {
  const auto& mass = function.column("Mass");
  const auto& counts = function.column("Halos");
  const auto& fit = function.column("Fit");
  json bins = json::array();
  for (std::size_t i = 0; i < mass.size(); ++i) {
    json row = statistics_row(statistics, i);
    const double mean = statistics.runs.mean[i];
    row.update(
        {{"mass", mass[i]}, {"density", mean}, {"error", row["scatter"]}, {"fitted", fit[i]}, {"count", counts[i]}});
    // Poisson: the mean number of halos of a run is counts / runs.
    row["expected_scatter"] = mean / std::sqrt(counts[i] / static_cast<double>(statistics.runs.samples));
    bins.push_back(std::move(row));
  }
  return {{"fit", function.fit}, {"bins", bins}};
}

json output_data(const EnsembleOutput& output, const EnsembleResults& results, bool with_matrix) {
  json data{{"time", output.time}, {"redshift", output.redshift}};
  for (const char* key : {"power", "fof", "mean200"}) data[key] = nullptr;
  for (const EnsembleFunction& function : output.functions) {
    const FunctionStatistics statistics = function_statistics(function, results.realisations);
    const bool power = function.name == "PowerSpectrum";
    json one = power ? power_data(function, statistics) : mass_data(function, statistics);
    const std::vector<double>& places = function.column(power ? "Wavenumber" : "Mass");
    one["matrix"] = with_matrix ? matrix_json(statistics.runs, places) : json();
    one["pair_matrix"] = with_matrix ? matrix_json(statistics.pairs, places) : json();
    if (power) one.update({{"particles", results.particles}, {"box_size", results.size}});
    data[power ? "power" : function.name == "MassFunctionFOF" ? "fof" : "mean200"] = std::move(one);
  }
  return data;
}

}  // namespace

json ensemble_page_data(const EnsembleResults& results, const Manifest& manifest, const std::string& title) {
  json data = manifest_json(manifest);
  data.update({{"title", title},
               {"comoving", results.comoving},
               {"particles", results.particles},
               {"box_size", results.size},
               {"collected", results.realisations.size()},
               {"pairs", paired_seeds(results.realisations).size()},
               {"outputs", json::array()}});
  const std::size_t outputs = results.outputs.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    const bool drawn = i == 0 || i == outputs / 2 || i + 1 == outputs;
    data["outputs"].push_back(output_data(results.outputs[i], results, drawn));
  }
  return data;
}

}  // namespace multiwalk
