// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "analysis/forces/force_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// |given - true| / |true + background x| of every particle, by a double loop, rising.
std::vector<double> peculiar_errors(const ParticleStore& p, const PairLaw& law, double background) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < p.size(); ++i) {
    Vec3d pull;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const Vec3d d = Vec3d(p.position[j]) - Vec3d(p.position[i]);
      const double square = norm2(d) + law.softening * law.softening;
      pull += (law.gravitational_constant * p.mass[j] / (square * std::sqrt(square))) * d;
    }
    errors.push_back(norm(Vec3d(p.acceleration[i]) - pull) / norm(pull + background * Vec3d(p.position[i])));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

TEST(ForceError, PeculiarOnesAreRelativeToPullAndBackground) {
  ParticleStore particles = test::plummer(101);
  for (std::size_t i = 0; i < particles.size(); ++i) particles.acceleration[i] = Vec3f{0.1F, -0.2F, 0.3F};
  const PairLaw law{2.5, 0.1, MultipoleOrder::monopole};
  for (const double background : {0.0, 0.7, 3.0}) {
    const std::vector<double> expected = peculiar_errors(particles, law, background);
    const ForceError error = measure_force_error(particles, law, {}, background);
    EXPECT_NEAR(error.peculiar.median, expected[50], 1e-6 * expected[50]);
    EXPECT_NEAR(error.peculiar.max, expected[100], 1e-6 * expected[100]);
    EXPECT_EQ(error.peculiar.sample, 101U);
    if (background == 0) {
      EXPECT_EQ(error.peculiar.median, error.total.median);
    }
  }
}

/// By hand: pulls of length 3, 4 and 12 have an rms of 7.5055, whatever each of them is.
TEST(ForceError, OfRmsIsRelativeToTheRootMeanSquare) {
  ParticleStore particles;
  particles.resize(3);
  const ForceTruth truth{{0, 1, 2}, {{3, 0, 0}, {0, -4, 0}, {0, 0, 12}}};
  particles.position = {{1, 2, 3}, {-4, 5, 6}, {7, 8, -9}};
  particles.acceleration = {{3, 0.5F, 0}, {0, -3, 0}, {2, 0, 12}};  // off by 0.5, 1 and 2
  const double rms = std::sqrt((9 + 16 + 144) / 3.0);
  for (const double background : {0.0, 0.5}) {
    const ForceError error = measure_force_error(particles, truth, background);
    EXPECT_DOUBLE_EQ(error.of_rms.median, 1 / rms);
    EXPECT_DOUBLE_EQ(error.of_rms.max, 2 / rms);
    EXPECT_DOUBLE_EQ(error.of_rms.p90, 2 / rms);
    EXPECT_EQ(error.of_rms.sample, 3U);
    EXPECT_DOUBLE_EQ(error.total.median, 0.5 / 3);
    EXPECT_DOUBLE_EQ(error.total.max, 0.25);
  }
}

/// 1, 2, ... n in some order.
std::vector<double> numbers(std::size_t n) {
  std::vector<double> all(n);
  std::iota(all.begin(), all.end(), 1.0);
  std::shuffle(all.begin(), all.end(), std::mt19937(1));
  return all;
}

/// 990 and 500 with 1.96 standard deviations of the binomial, 6.17 and 30.99, rounded outwards.
TEST(ForceError, IntervalsAreOrderStatistics) {
  const ErrorPercentiles e = percentiles(numbers(1000));
  EXPECT_EQ(e.median, 500);
  EXPECT_EQ(e.p99, 990);
  EXPECT_EQ(e.p99_low, 983);
  EXPECT_EQ(e.p99_high, 998);
  EXPECT_EQ(e.median_low, 469);
  EXPECT_EQ(e.median_high, 532);
  const ErrorPercentiles few = percentiles(numbers(10));
  EXPECT_EQ(few.median_low, 1);
  EXPECT_EQ(few.median_high, 10);
  const ErrorPercentiles one = percentiles(numbers(1));
  EXPECT_EQ(one.median_low, 1);
  EXPECT_EQ(one.median_high, 1);
}

TEST(ForceError, OnlyAThousandErrorsKnowThe99Percent) {
  EXPECT_TRUE(percentiles(numbers(1000)).knows_p99());
  EXPECT_FALSE(percentiles(numbers(999)).knows_p99());
  EXPECT_FALSE(percentiles(numbers(10)).knows_p99());
}

/// 1000 samples of uniform numbers: 97 of 100 intervals contain the true percentile, as expected for discrete ones.
TEST(ForceError, IntervalsHoldTheTruthAsOftenAsTheySay) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  int tail = 0, middle = 0, of_few = 0;
  for (int s = 0; s < 1000; ++s) {
    std::vector<double> sample(1000);
    for (double& x : sample) x = uniform(random);
    const ErrorPercentiles few = percentiles({sample.begin(), sample.begin() + 25}), all = percentiles(sample);
    tail += all.p99_low <= 0.99 && 0.99 <= all.p99_high ? 1 : 0;
    middle += all.median_low <= 0.5 && 0.5 <= all.median_high ? 1 : 0;
    of_few += few.median_low <= 0.5 && 0.5 <= few.median_high ? 1 : 0;
  }
  for (const int held : {tail, middle, of_few}) {
    EXPECT_GT(held, 935);
    EXPECT_LT(held, 992);
  }
}

}  // namespace
}  // namespace multiwalk
