// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/ensemble_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

namespace {

/// The attributes of a dataset.
struct DatasetWords {
  std::string name, unit, meaning;
};

template <class T>
void write_table(const hdf5::Object& group, const DatasetWords& words, std::span<const T> values,
                 std::uint64_t columns = 1) {
  if (values.empty()) return;
  const auto copy = [&](std::uint64_t first, std::uint64_t count, T* out) {
    std::ranges::copy(values.subspan(columns * first, columns * count), out);
  };
  const hdf5::Object dataset =
      group.write_dataset(hdf5::RowSource::of<T>(words.name, columns, copy), 0, values.size() / columns);
  if (!words.unit.empty()) dataset.write_text("unit", words.unit);
  dataset.write_text("meaning", words.meaning);
}

void write_statistics(const hdf5::Object& group, const SampleStatistics& statistics, const EnsembleFunction& function,
                      const std::string& of) {
  const std::size_t bins = statistics.mean.size();
  group.write("Samples", static_cast<std::int64_t>(statistics.samples));
  const auto write = [&](const char* name, const std::string& its_unit, const std::string& meaning,
                         const std::vector<double>& values, std::size_t columns) {
    write_table<double>(group, {name, its_unit, meaning + of}, values, columns);
  };
  write("Mean", function.unit, "mean of ", statistics.mean, 1);
  if (statistics.samples < 2) return;
  write("Scatter", function.unit, "square root of the variance of ", statistics.scatter, 1);
  write("Covariance", function.squared_unit, "unbiased covariance of the bins of ", statistics.covariance, bins);
  write("Correlation", "", "covariance over both scatters, NaN where one is 0, of ", statistics.correlation, bins);
}

void write_function(const hdf5::Object& output, const EnsembleFunction& function,
                    const std::vector<Realisation>& realisations) {
  const hdf5::Object group = output.create_group(function.name);
  group.write_text("meaning", function.meaning);
  if (function.name == "PowerSpectrum") {
    group.write("ShotNoise", function.shot_noise);
    group.write("ShotNoiseSubtracted", std::int32_t{function.shot_noise_subtracted});
  } else {
    group.write_text("Fit", function.fit);
  }
  for (const EnsembleColumn& column : function.columns) {
    write_table<double>(group, {column.name, column.unit, column.meaning}, column.values);
  }
  write_table<double>(group, {"Values", function.unit, "a row for each realisation"}, function.values.values,
                      function.values.variables);
  const FunctionStatistics statistics = function_statistics(function, realisations);
  write_statistics(group, statistics.runs, function, "single runs");
  if (statistics.pairs.samples == 0) return;
  const hdf5::Object pairs = group.create_group("Pairs");
  write_statistics(pairs, statistics.pairs, function, "averages of a run and its partner");
  if (statistics.pairs.samples < 2) return;
  write_table<double>(pairs, {"VarianceRatio", "", "2 Var(pair average) / Var(run): 1 for independent runs"},
                      statistics.variance_ratio);
}

void write_realisations(const hdf5::File& file, const EnsembleResults& results, const Manifest& manifest) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::uint64_t> seeds;
  std::vector<std::int32_t> paired;
  std::vector<double> seconds, joules, cost;
  for (const Realisation& one : results.realisations) {
    const auto state = std::ranges::find(manifest.realisations, one, &RealisationState::realisation);
    const bool known = state != manifest.realisations.end();
    seeds.push_back(one.seed);
    paired.push_back(one.paired ? 1 : 0);
    seconds.push_back(known ? state->seconds : unknown);
    joules.push_back(known ? state->joules.value_or(unknown) : unknown);
    cost.push_back(known ? state->cost.value_or(unknown) : unknown);
  }
  const hdf5::Object group = file.create_group("Realisations");
  write_table<std::uint64_t>(group, {"Seed", "", "model.seed"}, seeds);
  write_table<std::int32_t>(group, {"Paired", "", "1: the partner, with the opposite density contrast"}, paired);
  write_table<double>(group, {"WallSeconds", "s", "wall time, restarts included"}, seconds);
  write_table<double>(group, {"Joules", "J", "energy of the GPUs, NaN without"}, joules);
  write_table<double>(group, {"Cost", manifest.currency, "hourly price times wall time, NaN without"}, cost);
}

}  // namespace

void write_ensemble_file(const std::string& path, const EnsembleResults& results, const Manifest& manifest) {
  hdf5::write_file(path, [&](hdf5::File& file) {
    file.write_text("Version", manifest.version);
    file.write_text("ParameterFile", manifest.parameter_file);
    file.write("NumRealisations", static_cast<std::int64_t>(results.realisations.size()));
    file.write("NumPairs", static_cast<std::int64_t>(paired_seeds(results.realisations).size()));
    file.write("NumParticles", results.particles);
    write_realisations(file, results, manifest);
    for (std::size_t i = 0; i < results.outputs.size(); ++i) {
      const EnsembleOutput& output = results.outputs[i];
      const hdf5::Object group = file.create_group(fmt::format("Output_{:03d}", i));
      group.write("Time", output.time);
      if (results.comoving) group.write("Redshift", output.redshift);
      for (const EnsembleFunction& function : output.functions) {
        write_function(group, function, results.realisations);
      }
    }
  });
}

}  // namespace multiwalk
