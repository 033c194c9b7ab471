// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh's filter and the pairs: their transforms sum to that of the whole softened potential.
#include <gsl/gsl_sf_bessel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/base/quadrature.hpp"
#include "host/gravity/pair_law.hpp"
#include "host/gravity/softened_wave.hpp"
#include "host/mesh/long_range_factors.hpp"
#include "host/mesh/missed_pairs.hpp"
#include "host/mesh/split_filter.hpp"

namespace multiwalk {
namespace {

using std::numbers::pi;

/// The pull of a unit mass at distance r through pairs; rs = 1.
double pull_of_pairs(double r, double cutoff, double softening) {
  const double R = std::hypot(r, softening);
  const auto law = [](double x) {
    return (std::erfc(x / 2) + x / std::sqrt(pi) * std::exp(-x * x / 4)) / std::pow(x, 3);
  };
  return R < cutoff ? r * (law(R) - law(cutoff)) : 0;
}

/// Over 0 < r < cutoff, finely where R changes fast.
template <class F>
double integral_over_pairs(double cutoff, double softening, const F& f) {
  const double end = softening < cutoff ? std::sqrt(cutoff * cutoff - softening * softening) : 0;
  const double middle = std::min(end, 4 * softening);
  const Quadrature integral(200);
  return (middle > 0 ? integral(0, middle, f) : 0) + (end > middle ? integral(middle, end, f) : 0);
}

/// k^2/4 pi times the transform of the pairs' potential: int r^2 pull(r) (-d/dr sinc(qr)) dr.
double kept_share(double q, double cutoff, double softening) {
  return integral_over_pairs(cutoff, softening, [&](double r) {
    const double x = q * r;
    return r * r * pull_of_pairs(r, cutoff, softening) * q * (std::sin(x) / x - std::cos(x)) / x;
  });
}

double whole_share(double b) {
  return b > 0 ? b * gsl_sf_bessel_K1(b) : 1;
}

constexpr double cutoffs[] = {3.0, 4.8, 7.0}, softenings[] = {0.0, 0.03, 0.3, 1.0, 4.0, 9.0};

TEST(MissedPairs, CompletePairsAndMesh) {
  for (const double cutoff : cutoffs) {
    for (const double softening : softenings) {
      const MissedPairs missed({1.3, 1.3 * cutoff}, 1.3 * softening);
      for (const double q : {0.01, 0.3, 0.5, 1.0, 2.0, 4.0}) {
        const double b = q * softening, mesh = std::exp(-q * q) * softened_wave(q * q, b * b) + missed(q);
        EXPECT_NEAR(kept_share(q, cutoff, softening) + mesh, whole_share(b), 2e-9)
            << cutoff << ' ' << softening << ' ' << q;
      }
    }
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

/// A particle's own pair, and the mean of all pairs, by integrals of the pull.
TEST(PotentialConstants, AreThoseOfThePairs) {
  for (const double cutoff : cutoffs) {
    for (const double softening : softenings) {
      const auto pull = [&](double r) { return pull_of_pairs(r, cutoff, softening); };
      const double pairs = softening > 0 ? integral_over_pairs(cutoff, softening, pull) : 0;  // at r = 0
      const double volume =
          4 * pi / 3 * integral_over_pairs(cutoff, softening, [&](double r) { return r * r * r * pull(r); });
      const PotentialConstants found = potential_constants(3, {1, cutoff}, softening, 2);
      EXPECT_NEAR(found.everywhere, 3 * 2 * volume, 1e-6) << cutoff << ' ' << softening;
      if (softening == 0) continue;
      EXPECT_NEAR(found.own, 3 * (1 / softening - pairs), 1e-9 / softening);
      EXPECT_NEAR(own_depth({3, softening, MultipoleOrder::quadrupole, 0, {1, cutoff}}), pairs, 1e-9 / softening);
    }
  }
  const PotentialConstants unsoftened = potential_constants(3, {1.5, 0}, 0, 2);
  EXPECT_NEAR(unsoftened.own, 3 / (1.5 * std::sqrt(pi)), 1e-12);
  EXPECT_NEAR(unsoftened.everywhere, 3 * 4 * pi * 1.5 * 1.5 * 2, 1e-12);
}

TEST(SplitFilter, IsTabulatedOverWavenumbers) {
  const double box = 40, rs = 2.5, cutoff = 4.8 * rs;
  for (const double softening : {0.0, 0.1, 1.5, 8.0}) {
    const SplitFilter filter({rs, cutoff}, softening, box);
    const MissedPairs missed({rs, cutoff}, softening);
    for (const int n2 : {0, 1, 2, 3, 5, 9, 14}) {
      const double q = 2 * pi * rs / box * std::sqrt(n2), b = q * softening / rs;
      const double damped = std::exp(q * q - q * q * q * q / 16) * missed(q);
      EXPECT_NEAR(filter.values()(static_cast<float>(n2)), softened_wave(q * q, b * b) + damped, 1e-6) << n2;
    }
  }
  EXPECT_EQ(SplitFilter({rs, cutoff}, 0, box).values()(1e9F), 1);
  EXPECT_EQ(SplitFilter({rs, 0}, 0, box).values()(3), 1);
}

/// The longest waves of a large box, where the softened potential has a logarithm.
TEST(SplitFilter, IsSmoothAtTheLongestWaves) {
  const double rs = 1, softening = 0.5, box = 500;
  const SplitFilter filter({rs, 4.8}, softening, box);
  const double q = 2 * pi / box, b = q * softening, x2 = q * q / 4;
  const double missed = std::exp(q * q - x2 * x2) * MissedPairs({rs, 4.8}, softening)(q);
  EXPECT_NEAR(filter.values()(1), softened_wave(q * q, b * b) + missed, 3e-6);
}

}  // namespace
}  // namespace multiwalk
