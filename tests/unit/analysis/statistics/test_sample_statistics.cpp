// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of small samples worked out by hand, of Gaussian numbers with a known covariance, and of pairs.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/statistics/sample_statistics.hpp"
#include "host/base/error.hpp"

namespace multiwalk {
namespace {

TEST(SampleStatistics, OfThreeSamplesByHand) {
  const SampleStatistics s = sample_statistics(Samples{2, {1, 10, 2, 14, 6, 12}});
  EXPECT_EQ(s.samples, 3U);
  EXPECT_EQ(s.mean, (std::vector<double>{3, 12}));
  // Deviations (-2, -2), (-1, 2), (3, 0).
  EXPECT_EQ(s.covariance, (std::vector<double>{7, 1, 1, 4}));
  EXPECT_DOUBLE_EQ(s.scatter[0], std::sqrt(7.0));
  EXPECT_DOUBLE_EQ(s.scatter[1], 2);
  EXPECT_EQ(s.correlation[0], 1);
  EXPECT_DOUBLE_EQ(s.correlation[1], 1 / std::sqrt(28.0));
  EXPECT_EQ(s.correlation[1], s.correlation[2]);
}

TEST(SampleStatistics, TooFewSamplesHaveAMeanOnly) {
  const SampleStatistics one = sample_statistics(Samples{2, {3, 4}});
  EXPECT_EQ(one.mean, (std::vector<double>{3, 4}));
  for (const double value : {one.scatter[0], one.covariance[1], one.correlation[0]}) EXPECT_TRUE(std::isnan(value));
  const SampleStatistics none = sample_statistics(Samples{});
  EXPECT_EQ(none.samples, 0U);
  EXPECT_TRUE(none.mean.empty());
}

TEST(SampleStatistics, AVariableThatNeverVariesHasNoCorrelation) {
  const SampleStatistics s = sample_statistics(Samples{2, {1, 5, 3, 5}});
  EXPECT_EQ(s.scatter[1], 0);
  EXPECT_EQ(s.correlation[0], 1);
  EXPECT_TRUE(std::isnan(s.correlation[1]) && std::isnan(s.correlation[3]));
}

TEST(SampleStatistics, SmallScatterAboutALargeMeanIsKept) {
  const SampleStatistics s = sample_statistics(Samples{1, {1e9 + 1, 1e9 + 2, 1e9 + 3}});
  EXPECT_DOUBLE_EQ(s.covariance[0], 1);
}

/// Means of groups differ by 100, which the scatter does not contain.
TEST(SampleStatistics, GroupsArePooledAboutTheirOwnMeans) {
  const std::vector<Samples> groups{{1, {1, 3}}, {1, {101, 105, 103}}, {}};
  const SampleStatistics s = sample_statistics(groups);
  EXPECT_EQ(s.samples, 5U);
  EXPECT_DOUBLE_EQ(s.mean[0], 313.0 / 5);
  EXPECT_DOUBLE_EQ(s.covariance[0], (2.0 + 8.0) / (1 + 2));
}

TEST(SampleStatistics, OfGaussianNumbersWithKnownCovariance) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> gauss;
  Samples samples;
  for (int i = 0; i < 20000; ++i) {
    const double x = gauss(random), y = gauss(random);
    samples.add(std::vector<double>{5 + 2 * x, 0.6 * x + 0.8 * y});
  }
  const SampleStatistics s = sample_statistics(samples);
  EXPECT_NEAR(s.mean[0], 5, 0.06);
  EXPECT_NEAR(s.scatter[0], 2, 0.04);
  EXPECT_NEAR(s.covariance[1], 1.2, 0.06);
  EXPECT_NEAR(s.correlation[1], 0.6, 0.03);
}

TEST(SampleStatistics, ShapesMustAgree) {
  Samples samples{2, {1, 2}};
  EXPECT_THROW(samples.add(std::vector<double>{1}), InputError);
  EXPECT_THROW(sample_statistics(std::vector<Samples>{{1, {1}}, {2, {1, 2}}}), InputError);
  EXPECT_THROW(pair_averages({1, {1, 2}}, {1, {1}}), InputError);
}

TEST(PairAverages, CancelAgreeOrAreIndependent) {
  const Samples first{3, {1, 1, 1, 3, 3, 2, 5, 5, 0}}, second{3, {5, 1, 0, 3, 3, 0, 1, 5, 3}};
  const Samples averages = pair_averages(first, second);
  EXPECT_EQ(averages.values, (std::vector<double>{3, 1, 0.5, 3, 3, 1, 3, 5, 1.5}));
  const SampleStatistics pairs = sample_statistics(averages), singles = sample_statistics(first);
  const std::vector<double> ratio = pair_variance_ratio(pairs, singles);
  EXPECT_DOUBLE_EQ(ratio[0], 0);
  EXPECT_DOUBLE_EQ(ratio[1], 2);
  EXPECT_NEAR(ratio[2], 0.5, 1e-12);  // 2 x 0.25 / 1
}

}  // namespace
}  // namespace multiwalk
