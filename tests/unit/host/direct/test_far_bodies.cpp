// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies so far away, or so close together, that single-precision differences of positions or velocities would vanish.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/direct/find_frame.hpp"
#include "tests/unit/host/direct/direct_models.hpp"

namespace multiwalk {
namespace {

using test::Cluster;
using test::DirectResults;
using test::summed;

constexpr DirectPrecision hi_lo{Accumulation::mixed, Splitting::hi_lo}, single{Accumulation::mixed, Splitting::single};

/// Errors of the SIMD units' sums on the first `targets` bodies, compared with the scalar loop.
void expect_exact(const Cluster& cluster, std::size_t targets, double softening2, DirectPrecision precision,
                  double most = 1e-5) {
  const DirectResults exact = summed(*make_scalar_direct_backend(), cluster, targets, softening2);
  const DirectResults got = summed(*make_simd_direct_backend(1), cluster, targets, softening2, precision);
  EXPECT_LT(test::worst(got.acceleration, exact.acceleration), most);
  EXPECT_LT(test::worst(got.potential, exact.potential), most);
  EXPECT_LT(test::worst(got.jerk, exact.jerk), 10 * most);
}

bool is_full(const Cluster& cluster, double softening2, DirectPrecision precision = hi_lo) {
  DirectResults results(cluster.mass.size());
  return direct_frame(cluster.task(results, softening2, precision)).full;
}

TEST(FarBodies, DoNotSwitchOffThePullsOfTheOthers) {
  constexpr std::size_t n = 200;
  for (const double distance : {1e4, 1e7, 1e12, 1e30}) {
    for (const double softening2 : {2.5e-3, 0.0}) {
      Cluster cluster(n);
      cluster.position.back() = {distance, 0, 0};
      cluster.mass.back() = 1e-12;
      for (const Accumulation sums : {Accumulation::mixed, Accumulation::compensated, Accumulation::full}) {
        expect_exact(cluster, n - 1, softening2, {sums, Splitting::hi_lo});
      }
      expect_exact(cluster, n - 1, softening2, single);
    }
  }
}

TEST(FarBodies, TwoGroupsFarApart) {
  for (const std::size_t n : {20, 200, 20000}) {
    for (const double distance : {1e9, 1e12}) {
      Cluster cluster(n);
      for (std::size_t i = 0; i < n / 2; ++i) cluster.position[i].x += distance;
      for (const DirectPrecision precision : {hi_lo, single}) {
        expect_exact(cluster, std::min<std::size_t>(n, 500), 0, precision);
        EXPECT_TRUE(is_full(cluster, 1e-4, precision)) << n;
      }
    }
  }
}

TEST(FarBodies, AFewBodiesCloseTogetherInAWideHalo) {
  for (const std::size_t n : {60, 1000, 20000}) {
    Cluster cluster(n);
    const std::size_t clump = std::max<std::size_t>(5, n / 100);
    for (std::size_t i = 0; i < clump; ++i) {
      cluster.position[i * (n / clump)] = Vec3d{0.3, -0.2, 0.1} + cluster.position[i] * 1e-11;
    }
    for (const DirectPrecision precision : {hi_lo, single}) {
      expect_exact(cluster, std::min<std::size_t>(n, 500), 0, precision);
    }
  }
}

/// Block steps sum over all bodies for a few targets.
TEST(FarBodies, ActiveBodiesCloseTogetherAreSeen) {
  constexpr std::size_t n = 50'000, active = 4;
  Cluster cluster(n);
  for (std::size_t i = 0; i < active; ++i) cluster.position[i] *= 1e-11;
  expect_exact(cluster, active, 0, hi_lo);
}

TEST(FarBodies, FastOnesLeaveTheOthersJerks) {
  constexpr std::size_t n = 200;
  for (const std::size_t fast : {1U, 100U}) {
    Cluster cluster(n);
    for (std::size_t i = n - fast; i < n; ++i) {
      cluster.velocity[i].y += 1e13;
      cluster.position[i].x += 1e3;
      cluster.mass[i] *= 1e-12;
    }
    for (const DirectPrecision precision : {hi_lo, single}) EXPECT_TRUE(is_full(cluster, 1e-2, precision));
    expect_exact(cluster, n - fast, 1e-2, hi_lo);
  }
}

TEST(FarBodies, TwoSetsThatPullEachOther) {
  Cluster cluster(100);
  DirectResults results(100);
  const auto half = [](auto& values, std::size_t which) { return std::span(values).subspan(50 * which, 50); };
  const auto block = [&](std::size_t which) {
    return DirectBlock{half(cluster.position, which), half(cluster.velocity, which),
                       half(cluster.mass, which),     half(results.acceleration, which),
                       half(results.jerk, which),     half(results.potential, which)};
  };
  const auto full = [&](double softening2, DirectPrecision precision) {
    return direct_frame(DirectCouple{block(0), block(1), softening2, precision}).full;
  };
  EXPECT_FALSE(full(0, hi_lo));
  EXPECT_FALSE(full(0.01, single));
  cluster.position[7] = {1e12, 0, 0};
  for (const DirectPrecision precision : {hi_lo, single}) {
    EXPECT_TRUE(full(0, precision));
    EXPECT_TRUE(full(0.01, precision));
    EXPECT_FALSE(full(1e16, precision)) << "of a softening that is longer than any distance lost";
  }
  cluster.position[7] = cluster.position[8];
  EXPECT_FALSE(full(0, hi_lo)) << "bodies at the same place do not pull each other";
  cluster.position[70] = cluster.position[7] + Vec3d{1e-12, 0, 0};  // each in another set
  EXPECT_TRUE(full(0, hi_lo));
}

TEST(FarBodies, ASampleIsJudgedByTheSpacingOfAll) {
  constexpr std::size_t n = 200'000;
  Cluster cube(n);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform;
  for (Vec3d& x : cube.position) x = {uniform(engine), uniform(engine), uniform(engine)};
  const double spacing = 1 / std::cbrt(n);
  for (const double lost : {0.02, 0.25}) {  // lost in single precision, in spacings
    cube.position[7] = {lost * spacing / 2e-5, 0, 0};
    EXPECT_EQ(is_full(cube, 0, single), lost > 0.1);
  }
}

TEST(FarBodies, OrdinarySystemsStayInSinglePrecision) {
  for (const std::size_t n : {2, 10, 100, 1000, 30000}) {
    Cluster sphere(n);
    for (const double softening2 : {0.0, 1e-6, 1e-2}) {
      EXPECT_FALSE(is_full(sphere, softening2)) << n;
      EXPECT_FALSE(is_full(sphere, softening2, single)) << n;
    }
    for (Vec3d& v : sphere.velocity) v = {};
    EXPECT_FALSE(is_full(sphere, 0)) << "at rest";
    for (std::size_t i = 0; i < n; ++i) sphere.velocity[i] = 1e-12 * sphere.position[i];
    EXPECT_FALSE(is_full(sphere, 0)) << "nearly at rest";
    for (Vec3d& x : sphere.position) x.z = 0;
    EXPECT_FALSE(is_full(sphere, 0)) << "a disc";
  }
  Cluster collapsed(1000);
  for (std::size_t i = 0; i < 100; ++i) collapsed.position[i] *= 1e-3;
  collapsed.position[0] = collapsed.position[1] + Vec3d{1e-5, 0, 0};  // a hard binary
  collapsed.position[999] = {300, 0, 0};                              // that ejected a body
  collapsed.velocity[999] = {30, 0, 0};
  EXPECT_FALSE(is_full(collapsed, 0));
}

/// Sums of one set over another; returns the largest error.
void expect_exact_pulls(const std::vector<Vec3d>& sources, const std::vector<Vec3d>& targets) {
  const std::vector<double> mass(sources.size(), 1);
  const auto sums = [&](DirectBackend& backend) {
    DirectResults results(targets.size());
    DirectTask task;
    task.source_position = sources;
    task.source_mass = mass;
    task.target_position = targets;
    task.acceleration = results.acceleration;
    task.potential = results.potential;
    backend.sum(task);
    return results;
  };
  const DirectResults exact = sums(*make_scalar_direct_backend()), got = sums(*make_simd_direct_backend(1));
  EXPECT_LT(test::worst(got.acceleration, exact.acceleration), 1e-5);
  EXPECT_LT(test::worst(got.potential, exact.potential), 1e-5);
}

TEST(FarTargets, FeelWhatTheyShould) {
  const Cluster cluster(300);
  for (const double distance : {1e2, 1e6, 1e9, 1e12, 1e60}) {
    expect_exact_pulls(cluster.position, {{distance, distance, 0}, {0.3, 0.1, 0.2}, {0, 2 * distance, 1}});
  }
  for (const double unit : {1e-30, 1e13, 1e30}) expect_exact_pulls({{unit, 0, 0}}, {{0, unit, 0}, {0, 0, 3 * unit}});
  expect_exact_pulls({{0, 0, 0}, {1e12, 0, 0}}, {{1e-3, 0, 0}});
}

TEST(FarTargets, NumbersAtTheEndOfTheirRangeGiveNumbers) {
  constexpr double large = 1e150;
  Cluster cluster(100);
  const auto expect_numbers = [&](std::size_t first) {
    const DirectResults got = summed(*make_simd_direct_backend(1), cluster, 10, 0, hi_lo, first);
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_TRUE(std::isfinite(norm2(got.acceleration[i]))) << first + i;
      EXPECT_TRUE(std::isfinite(got.potential[i])) << first + i;
    }
  };
  cluster.position[3] = {1e120, 0, 0};
  expect_numbers(0);
  for (std::size_t i = 0; i < 50; ++i) cluster.position[i] = {i % 2 == 0 ? large : -large, large, 0};
  expect_numbers(45);
  for (std::size_t i = 0; i < 50; ++i) cluster.position[i] *= 1e158;  // their sum is not finite
  DirectResults results(100);
  const DirectFrame frame = direct_frame(cluster.task(results, 0));
  EXPECT_TRUE(frame.full);
  EXPECT_EQ(frame.centre, Vec3d{});
  EXPECT_EQ(frame.length, 1);
}

TEST(TinySoftening, CountsAsNone) {
  Cluster cluster(40);
  cluster.position[3] = cluster.position[4];
  const DirectResults exact = summed(*make_scalar_direct_backend(), cluster, 40, 0);
  for (const double softening2 : {5e-324, 1e-300, 1e-206, 1e-130}) {
    for (const Accumulation sums : {Accumulation::mixed, Accumulation::full}) {
      const DirectResults got = summed(*make_simd_direct_backend(1), cluster, 40, softening2, {sums, Splitting::hi_lo});
      EXPECT_LT(test::worst(got.acceleration, exact.acceleration), 1e-5) << softening2;
      EXPECT_LT(test::worst(got.potential, exact.potential), 1e-5) << softening2;
    }
    const DirectResults got = summed(*make_scalar_direct_backend(), cluster, 40, softening2);
    EXPECT_EQ(got.acceleration, exact.acceleration) << softening2;
    EXPECT_EQ(got.potential, exact.potential) << softening2;
  }
}

}  // namespace
}  // namespace multiwalk
