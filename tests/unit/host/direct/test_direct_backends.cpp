// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <string>

#include "host/base/error.hpp"
#include "host/simd/direct_frame.hpp"
#include "host/simd/simd_kernels.hpp"
#include "tests/unit/host/direct/direct_models.hpp"

namespace multiwalk {
namespace {

using test::Cluster;
using test::DirectResults;
using test::summed;
using test::worst;

/// Every instruction set of this machine.
class DirectBackends : public testing::TestWithParam<const SimdKernels*> {
 protected:
  std::unique_ptr<DirectBackend> fast(int threads = 1) { return make_simd_direct_backend(threads, GetParam()->name); }
  std::unique_ptr<DirectBackend> scalar = make_scalar_direct_backend();
};

INSTANTIATE_TEST_SUITE_P(InstructionSets, DirectBackends, testing::ValuesIn(available_simd_kernels()),
                         [](const auto& set) { return std::string(set.param->name); });

constexpr Accumulation all_accumulations[] = {Accumulation::plain, Accumulation::chamomile, Accumulation::compensated,
                                              Accumulation::mixed, Accumulation::full};

TEST_P(DirectBackends, EveryPrecisionAgreesWithTheScalarLoop) {
  const Cluster cluster(1037);
  const auto backend = fast();
  for (const double softening2 : {0.0, 1e-4}) {
    const DirectResults truth = summed(*scalar, cluster, 211, softening2, {}, 100);
    for (const Accumulation accumulation : all_accumulations) {
      for (const Splitting splitting : {Splitting::single, Splitting::hi_lo}) {
        const DirectResults got = summed(*backend, cluster, 211, softening2, {accumulation, splitting}, 100);
        const bool full = accumulation == Accumulation::full;
        const double rounding = full ? 2e-14 : splitting == Splitting::hi_lo ? 1e-6 : 2e-5;
        EXPECT_LT(worst(got.acceleration, truth.acceleration), rounding);
        EXPECT_LT(worst(got.potential, truth.potential), full ? 2e-14 : 2e-6);
        EXPECT_LT(worst(got.jerk, truth.jerk), 20 * rounding);
      }
    }
  }
}

TEST_P(DirectBackends, WithoutJerkTheSameForces) {
  const Cluster cluster(200);
  const auto backend = fast();
  const DirectResults with = summed(*backend, cluster, 200, 1e-4);
  DirectResults without(200);
  DirectTask task = cluster.task(without, 1e-4);
  task.jerk = {};
  backend->sum(task);
  EXPECT_LT(worst(without.acceleration, with.acceleration), 5e-7);
  EXPECT_LT(worst(without.potential, with.potential), 5e-7);
  for (const Vec3d& jerk : without.jerk) EXPECT_EQ(jerk, Vec3d{});
  task.acceleration = {};
  without.potential.assign(200, 0);
  backend->sum(task);
  EXPECT_LT(worst(without.potential, with.potential), 5e-7);
}

TEST_P(DirectBackends, AnyNumberOfSourcesAndTargets) {
  const auto backend = fast();
  for (const std::size_t n : {1U, 2U, 15U, 16U, 17U, 33U, 64U, 1023U, 1025U, 1040U}) {
    const Cluster cluster(n);
    for (const std::size_t targets :
         {std::min<std::size_t>(n, 1), std::min<std::size_t>(n, 5), std::min<std::size_t>(n, 67)}) {
      const std::size_t first = n - targets;  // the last vector of sources is not full
      const DirectResults truth = summed(*scalar, cluster, targets, 1e-4, {}, first),
                          got = summed(*backend, cluster, targets, 1e-4, {}, first);
      for (std::size_t t = 0; t < targets; ++t) {
        EXPECT_NEAR(norm(got.acceleration[t] - truth.acceleration[t]), 0, 1e-6 * norm(truth.acceleration[t])) << n;
        EXPECT_NEAR(norm(got.jerk[t] - truth.jerk[t]), 0, 2e-5 * norm(truth.jerk[t])) << n;
        EXPECT_NEAR(got.potential[t], truth.potential[t], 1e-6 * (1 + 100 * cluster.mass[first + t])) << n;
      }
    }
  }
}

TEST_P(DirectBackends, NoSourcesPullNothing) {
  const Cluster targets(3);
  DirectResults got(3);
  DirectTask task = targets.task(got, 0.01);
  task.source_position = task.source_velocity = {};
  task.source_mass = task.target_mass = {};
  got.potential.assign(3, 7);
  fast()->sum(task);
  for (const double p : got.potential) EXPECT_EQ(p, 0);
  fast()->sum(DirectTask{});
}

TEST_P(DirectBackends, TwoBlocksPullEachOther) {
  const Cluster cluster(211);
  const auto summed_both = [&](DirectBackend& backend) {
    DirectResults results(211);
    const auto block = [&](std::size_t first, std::size_t count) {
      const auto part = [&](auto& values) { return std::span(values).subspan(first, count); };
      return DirectBlock{part(cluster.position),     part(cluster.velocity), part(cluster.mass),
                         part(results.acceleration), part(results.jerk),     part(results.potential)};
    };
    backend.sum_both({block(0, 90), block(90, 121), 1e-4, {}});
    return results;
  };
  const DirectResults got = summed_both(*fast()), truth = summed_both(*scalar);
  EXPECT_LT(worst(got.acceleration, truth.acceleration), 1e-6);
  EXPECT_LT(worst(got.jerk, truth.jerk), 2e-5);
  EXPECT_LT(worst(got.potential, truth.potential), 1e-6);
  Vec3d force, yank;
  for (std::size_t i = 0; i < 211; ++i) {
    force += cluster.mass[i] * truth.acceleration[i];
    yank += cluster.mass[i] * truth.jerk[i];
  }
  EXPECT_LT(norm(force), 1e-14);
  EXPECT_LT(norm(yank), 1e-12);
}

TEST_P(DirectBackends, CoincidentBodiesWithoutSofteningPullNothing) {
  Cluster cluster(100);
  for (std::size_t i = 0; i < 50; ++i) cluster.position[2 * i] = cluster.position[2 * i + 1];
  const DirectResults truth = summed(*scalar, cluster, 100, 0);
  for (const Accumulation accumulation : all_accumulations) {
    const DirectResults got = summed(*fast(), cluster, 100, 0, {accumulation, Splitting::hi_lo});
    EXPECT_LT(worst(got.acceleration, truth.acceleration), 1e-6);
    EXPECT_LT(worst(got.potential, truth.potential), 1e-6);
    EXPECT_LT(worst(got.jerk, truth.jerk), 2e-5);
  }
}

TEST_P(DirectBackends, OwnPairsLeavePotentialsOnlyWhereMassesAreGiven) {
  const Cluster cluster(64);
  for (const bool soft : {false, true}) {
    const double softening2 = soft ? 0.04 : 0;
    DirectResults own(64), all(64);
    DirectTask task = cluster.task(own, softening2);
    fast()->sum(task);
    task.target_mass = {};
    task.potential = all.potential;
    fast()->sum(task);
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_NEAR(all.potential[i], own.potential[i] - (soft ? cluster.mass[i] / 0.2 : 0), 1e-6);
    }
  }
}

TEST_P(DirectBackends, FarFromTheOriginAndInAnyUnits) {
  Cluster cluster(300);
  const DirectResults truth = summed(*scalar, cluster, 300, 1e-4);
  const double length = 0x1p70, mass = 0x1p110, speed = 0x1p27;  // parsecs, suns and km/s in cgs, about
  for (std::size_t i = 0; i < 300; ++i) {
    cluster.position[i] = (cluster.position[i] + Vec3d{1000, -2000, 500}) * length;
    cluster.velocity[i] = (cluster.velocity[i] + Vec3d{300, 0, 50}) * speed;
    cluster.mass[i] *= mass;
  }
  DirectResults got = summed(*fast(), cluster, 300, 1e-4 * length * length);
  for (std::size_t i = 0; i < 300; ++i) {
    got.acceleration[i] *= length * length / mass;
    got.jerk[i] *= length * length * length / (mass * speed);
    got.potential[i] *= length / mass;
  }
  EXPECT_LT(worst(got.acceleration, truth.acceleration), 3e-6);
  EXPECT_LT(worst(got.jerk, truth.jerk), 2e-5);
  EXPECT_LT(worst(got.potential, truth.potential), 1e-6);
}

TEST_P(DirectBackends, ThreadsChangeNoBit) {
  const Cluster cluster(1500);
  const DirectResults one = summed(*fast(1), cluster, 1500, 1e-4), three = summed(*fast(3), cluster, 1500, 1e-4);
  EXPECT_EQ(one.acceleration, three.acceleration);
  EXPECT_EQ(one.jerk, three.jerk);
  EXPECT_EQ(one.potential, three.potential);
}

/// So many sources that threads share them out.
TEST_P(DirectBackends, FewTargetsOfManySources) {
  const Cluster cluster(30'011);
  for (const Accumulation accumulation : {Accumulation::mixed, Accumulation::full}) {
    const std::size_t targets = accumulation == Accumulation::full ? 14 : 40, first = cluster.mass.size() - targets;
    const DirectPrecision precision{accumulation, Splitting::hi_lo};
    const DirectResults truth = summed(*scalar, cluster, targets, 1e-4, precision, first);
    const DirectResults one = summed(*fast(1), cluster, targets, 1e-4, precision, first);
    const DirectResults three = summed(*fast(3), cluster, targets, 1e-4, precision, first);
    EXPECT_LT(worst(one.acceleration, truth.acceleration), 1e-6);
    EXPECT_LT(worst(one.jerk, truth.jerk), 2e-5);
    EXPECT_LT(worst(one.potential, truth.potential), 1e-6);
    EXPECT_EQ(one.acceleration, three.acceleration);
    EXPECT_EQ(one.jerk, three.jerk);
    EXPECT_EQ(one.potential, three.potential);
  }
}

TEST(ScalarDirectBackend, TwoBodies) {
  const std::vector<Vec3d> position{{0, 0, 0}, {3, 4, 0}}, velocity{{0, 0, 0}, {0, 1, 0}};
  const std::vector<double> mass{2, 5};
  DirectResults got(2);
  DirectTask task;
  task.source_position = task.target_position = position;
  task.source_velocity = task.target_velocity = velocity;
  task.source_mass = task.target_mass = mass;
  task.acceleration = got.acceleration;
  task.jerk = got.jerk;
  task.potential = got.potential;
  EXPECT_TRUE(task.mutual());
  const auto scalar = make_scalar_direct_backend();
  scalar->sum(task);
  EXPECT_NEAR(norm(got.acceleration[0] - Vec3d{0.12, 0.16, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(got.acceleration[1] + Vec3d{0.048, 0.064, 0}), 0, 1e-15);
  EXPECT_NEAR(got.potential[0], -1, 1e-15);
  EXPECT_NEAR(got.potential[1], -0.4, 1e-15);
  // 5 [(0, 1)/125 - 3 (4) (3, 4)/3125]
  EXPECT_NEAR(norm(got.jerk[0] - Vec3d{-0.0576, 0.04 - 0.0768, 0}), 0, 1e-15);
  task.softening2 = 144;
  scalar->sum(task);
  EXPECT_NEAR(got.potential[0], -5.0 / 13, 1e-15);
  EXPECT_NEAR(got.acceleration[0].x, 15.0 / 2197, 1e-15);
}

TEST(ScalarDirectBackend, JerkIsTheChangeOfAcceleration) {
  Cluster cluster(40);
  const auto scalar = make_scalar_direct_backend();
  constexpr double h = 1e-4;
  const DirectResults now = summed(*scalar, cluster, 40, 0.01);
  const auto moved = [&](double dt) {
    Cluster later = cluster;
    for (std::size_t i = 0; i < 40; ++i) later.position[i] += cluster.velocity[i] * dt;
    return summed(*scalar, later, 40, 0.01).acceleration;
  };
  const std::vector<Vec3d> before = moved(-h), after = moved(h);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_LT(norm((after[i] - before[i]) * (0.5 / h) - now.jerk[i]), 1e-5 * norm(now.jerk[i])) << i;
  }
}

TEST(DirectTask, WrongArraysAreRefused) {
  const Cluster cluster(10);
  DirectResults got(10);
  const auto refused = [](DirectTask task) { EXPECT_THROW(make_simd_direct_backend(1)->sum(task), Error); };
  DirectTask task = cluster.task(got, 0.01);
  task.source_velocity = {};
  refused(task);
  task = cluster.task(got, 0.01);
  task.source_mass = task.source_mass.first(9);
  refused(task);
  task = cluster.task(got, 0.01);
  task.acceleration = task.acceleration.first(3);
  refused(task);
  refused(cluster.task(got, -1));
  refused(cluster.task(got, NAN));
}

}  // namespace
}  // namespace multiwalk
