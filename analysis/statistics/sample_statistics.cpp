// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/statistics/sample_statistics.hpp"

#include <cmath>
#include <limits>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Zero without samples.
std::vector<double> mean_of(std::span<const Samples> groups, std::size_t variables) {
  std::vector<double> mean(variables, 0.0);
  std::size_t samples = 0;
  for (const Samples& group : groups) {
    for (std::size_t s = 0; s < group.size(); ++s) {
      for (std::size_t i = 0; i < variables; ++i) mean[i] += group.row(s)[i];
    }
    samples += group.size();
  }
  for (double& value : mean) value /= static_cast<double>(samples > 0 ? samples : 1);
  return mean;
}

/// Adds the products of deviations from the group's own mean to the upper triangle.
void add_products(const Samples& group, std::vector<double>& products) {
  const std::size_t variables = group.variables;
  const std::vector<double> mean = mean_of({&group, 1}, variables);
  std::vector<double> deviation(variables);
  for (std::size_t s = 0; s < group.size(); ++s) {
    for (std::size_t i = 0; i < variables; ++i) deviation[i] = group.row(s)[i] - mean[i];
    for (std::size_t i = 0; i < variables; ++i) {
      for (std::size_t j = i; j < variables; ++j) products[i * variables + j] += deviation[i] * deviation[j];
    }
  }
}

std::vector<double> correlation_of(const std::vector<double>& covariance, const std::vector<double>& scatter) {
  const std::size_t variables = scatter.size();
  std::vector<double> correlation(covariance.size(), unknown);
  for (std::size_t i = 0; i < variables; ++i) {
    for (std::size_t j = 0; j < variables; ++j) {
      const double scale = scatter[i] * scatter[j];
      if (scale > 0) correlation[i * variables + j] = i == j ? 1.0 : covariance[i * variables + j] / scale;
    }
  }
  return correlation;
}

}  // namespace

void Samples::add(std::span<const double> row) {
  if (variables == 0) variables = row.size();
  if (row.size() != variables) throw InputError("samples with different numbers of variables");
  values.insert(values.end(), row.begin(), row.end());
}

SampleStatistics sample_statistics(std::span<const Samples> groups) {
  SampleStatistics statistics;
  std::size_t variables = 0, degrees = 0;
  for (const Samples& group : groups) {
    if (group.size() == 0) continue;
    if (variables != 0 && group.variables != variables) throw InputError("groups with different numbers of variables");
    variables = group.variables;
    statistics.samples += group.size();
    degrees += group.size() - 1;
  }
  statistics.mean = mean_of(groups, variables);
  statistics.covariance.assign(variables * variables, 0.0);
  for (const Samples& group : groups) {
    if (group.size() > 0) add_products(group, statistics.covariance);
  }
  for (std::size_t i = 0; i < variables; ++i) {
    for (std::size_t j = i; j < variables; ++j) {
      double& upper = statistics.covariance[i * variables + j];
      upper = degrees > 0 ? upper / static_cast<double>(degrees) : unknown;
      statistics.covariance[j * variables + i] = upper;
    }
    statistics.scatter.push_back(std::sqrt(statistics.covariance[i * variables + i]));
  }
  statistics.correlation = correlation_of(statistics.covariance, statistics.scatter);
  return statistics;
}

SampleStatistics sample_statistics(const Samples& samples) {
  return sample_statistics(std::span(&samples, 1));
}

Samples pair_averages(const Samples& first, const Samples& second) {
  if (first.variables != second.variables || first.size() != second.size()) {
    throw InputError("samples and their partners have different shapes");
  }
  Samples averages = first;
  for (std::size_t i = 0; i < averages.values.size(); ++i) {
    averages.values[i] = (first.values[i] + second.values[i]) / 2;
  }
  return averages;
}

std::vector<double> pair_variance_ratio(const SampleStatistics& pairs, const SampleStatistics& singles) {
  std::vector<double> ratio;
  for (std::size_t i = 0; i < singles.scatter.size(); ++i) {
    const double variance = singles.scatter[i] * singles.scatter[i];
    ratio.push_back(variance > 0 ? 2 * pairs.scatter[i] * pairs.scatter[i] / variance : unknown);
  }
  return ratio;
}

}  // namespace multiwalk
