// SPDX-License-Identifier: GPL-3.0-or-later
// Mean, scatter, covariance and correlation of variables that were measured in several realisations.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace multiwalk {

/// Samples of several variables: a row for each sample.
struct Samples {
  std::size_t variables = 0;
  std::vector<double> values;  ///< (samples x variables)

  [[nodiscard]] std::size_t size() const { return variables == 0 ? 0 : values.size() / variables; }
  [[nodiscard]] std::span<const double> row(std::size_t sample) const {
    return std::span(values).subspan(sample * variables, variables);
  }
  /// `row` has as many values as there are variables; the first row sets their number.
  void add(std::span<const double> row);
};

/// Values that the samples do not determine are NaN: all but the mean if there are too few samples, and correlations
/// with a variable that never varies.
struct SampleStatistics {
  std::size_t samples = 0;
  std::vector<double> mean;         ///< (variables)
  std::vector<double> scatter;      ///< (variables): square root of the variance
  std::vector<double> covariance;   ///< (variables x variables), unbiased
  std::vector<double> correlation;  ///< (variables x variables): C_ij / sqrt(C_ii C_jj)
};

/// Mean of all samples of all groups. Covariance within the groups: the products of the deviations from the mean of the
/// own group, summed over all samples, over the sum of (samples - 1) of the groups. It is unbiased although samples of
/// different groups may depend on each other. Of one group: the usual sample covariance. Groups that are not empty have
/// the same number of variables.
SampleStatistics sample_statistics(std::span<const Samples> groups);
SampleStatistics sample_statistics(const Samples& samples);

/// Row by row (first + second) / 2; both have the same shape.
Samples pair_averages(const Samples& first, const Samples& second);

/// 2 Var(average of a pair) / Var(single) for each variable: 1 if the members of a pair are as good as two independent
/// samples, 2 if the second adds nothing new, 0 if their deviations cancel (Angulo & Pontzen 2016).
std::vector<double> pair_variance_ratio(const SampleStatistics& pairs, const SampleStatistics& singles);

}  // namespace multiwalk
