// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh adds what pairs miss: the transforms of pairs, Gaussian split and this addition sum to one.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/base/quadrature.hpp"
#include "host/mesh/missed_pairs.hpp"

namespace multiwalk {
namespace {

using std::numbers::pi;

double sinc(double x) {
  return std::sin(x) / x;
}

/// Transform of the density whose field is that of pairs within the cut-off: a point, less its Gaussian cloud and a
/// uniform sphere.
double kept_share(double q, double cutoff) {
  const auto cloud = [&](double r) { return r * r / (2 * std::sqrt(pi)) * std::exp(-r * r / 4) * sinc(q * r); };
  const auto sphere = [&](double r) { return 3 * pair_end({1, cutoff}).slope * r * r * sinc(q * r); };
  const Quadrature integral(64);
  return 1 - integral(0, cutoff, cloud) - integral(0, cutoff, sphere);
}

TEST(MissedPairs, CompletePairsAndMesh) {
  for (const double cutoff : {3.0, 4.8, 7.0}) {
    for (const double q : {0.01, 0.3, 0.5, 1.0, 2.0, 4.0}) {
      EXPECT_NEAR(kept_share(q, cutoff) + std::exp(-q * q) + missed_share(q, cutoff), 1, 1e-9) << cutoff << ' ' << q;
    }
    EXPECT_NEAR(missed_share(0.02, cutoff) / 4e-4, missed_curvature(cutoff),
                1e-2 * std::fabs(missed_curvature(cutoff)));
  }
}

TEST(PairEnd, IsWhereAPullAndItsPotentialVanish) {
  const ForceSplit split{1.3, 5.2};
  const PairEnd end = pair_end(split);
  const double x = 2, pull = std::erfc(x) + 2 * x / std::sqrt(pi) * std::exp(-x * x);
  EXPECT_NEAR(end.slope * std::pow(5.2, 3), pull, 1e-15);
  EXPECT_NEAR(std::erfc(x) / 5.2 - end.level + end.slope * 5.2 * 5.2 / 2, 0, 1e-15);
  EXPECT_EQ(pair_end({1.3, 0}).level, 0);
}

TEST(MissedPairs, AreTabulatedOverSquares) {
  const double box = 40, rs = 2.5, cutoff = 4.8 * rs;
  const MissedPairs missed({rs, cutoff}, box);
  for (const int n2 : {0, 1, 2, 3, 5, 9, 14}) {
    const double q = 2 * pi * rs / box * std::sqrt(n2);
    const double damped = std::exp(q * q - q * q * q * q / 16) * missed_share(q, 4.8);
    EXPECT_NEAR(missed.table()(static_cast<float>(n2)), 1 + damped, 1e-6) << n2;
  }
  EXPECT_EQ(missed.table()(1e9F), 1);
  EXPECT_EQ(MissedPairs({rs, 0}, box).table()(3), 1);
}

}  // namespace
}  // namespace multiwalk
