// SPDX-License-Identifier: GPL-3.0-or-later
// Direct summation on the device against the scalar double-precision loop.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "device/direct/cuda_direct_backend.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk::device_test {
namespace {

constexpr std::size_t few = 2000;  ///< bodies that some tests let evaluate each pair once for both

std::unique_ptr<DirectBackend> direct_or_null(std::size_t mutual_from = least_mutual_bodies) {
  std::string why;
  return make_cuda_direct_backend(-1, why, mutual_from);
}

struct Results {
  std::vector<Vec3d> acceleration, jerk;
  std::vector<double> potential;

  Results(std::size_t n, bool with_jerk) : acceleration(n), jerk(with_jerk ? n : 0), potential(n) {}
  void want(DirectTask& task) {
    task.acceleration = acceleration;
    task.jerk = jerk;
    task.potential = potential;
  }
  bool operator==(const Results&) const = default;
};

/// A cluster far from the origin, in units that single precision does not hold, with two bodies at one place.
struct Cluster {
  std::vector<Vec3d> position, velocity;
  std::vector<double> mass;

  explicit Cluster(std::size_t n) : position(n), velocity(n), mass(n) {
    std::mt19937_64 random(n);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < n; ++i) {
      const double size = 1e20 * std::exp(normal(random));
      position[i] = size * Vec3d{normal(random), normal(random), normal(random)} + Vec3d{3e20, 0, 0};
      velocity[i] = 1e4 * Vec3d{normal(random), normal(random), normal(random)} + Vec3d{0, 2e4, 0};
      mass[i] = 1e30 * std::fabs(normal(random));
    }
    if (n > 3) position[3] = position[1];
  }
  [[nodiscard]] DirectBlock block(Results& into) const {
    return {position, velocity, mass, into.acceleration, into.jerk, into.potential};
  }
};

/// Largest differences from the truth: accelerations and potentials relative to themselves, jerks to the rms at least.
struct Differences {
  double acceleration = 0, jerk = 0, potential = 0;
};

/// Of `found`[i] for every `stride`-th body.
Differences differences(const Cluster& bodies, const DirectTask& task, const Results& found, std::size_t stride) {
  const std::size_t n = bodies.position.size();
  std::vector<Vec3d> position, velocity;
  std::vector<double> mass;
  for (std::size_t i = 0; i < n; i += stride) {
    position.push_back(bodies.position[i]);
    velocity.push_back(bodies.velocity[i]);
    mass.push_back(bodies.mass[i]);
  }
  Results exact(position.size(), !found.jerk.empty());
  DirectTask truth = task;
  truth.target_position = position;
  truth.target_velocity = velocity;
  if (!task.target_mass.empty()) truth.target_mass = mass;
  exact.want(truth);
  make_scalar_direct_backend()->sum(truth);
  Differences worst;
  double jerk2 = 0;
  for (const Vec3d& jerk : exact.jerk) jerk2 += norm2(jerk) / static_cast<double>(exact.jerk.size());
  for (std::size_t k = 0; k < position.size(); ++k) {
    const Vec3d pull = exact.acceleration[k];
    worst.acceleration = larger_error(worst.acceleration, norm(found.acceleration[k * stride] - pull) / norm(pull));
    worst.potential = larger_error(worst.potential, std::fabs(found.potential[k * stride] / exact.potential[k] - 1));
    if (jerk2 > 0) {
      const double jerk = std::max(norm(exact.jerk[k]), std::sqrt(jerk2));
      worst.jerk = larger_error(worst.jerk, norm(found.jerk[k * stride] - exact.jerk[k]) / jerk);
    }
  }
  return worst;
}

struct PrecisionCase {
  Accumulation accumulation;
  Splitting splitting;
  double softening, tolerance;
  double of_both = tolerance;  ///< of two sets over each other, whose pulls may nearly cancel
};

class DirectOnDevice : public testing::TestWithParam<PrecisionCase> {
 protected:
  void SetUp() override {
    cuda_ = direct_or_null();
    if (!cuda_) GTEST_SKIP() << "no CUDA device";
  }

  /// From now on each pair among a few bodies is evaluated once for both.
  void pair_few() { cuda_ = direct_or_null(few); }

  /// With and without jerks, twice. `mutual`: the targets are the sources' arrays, not copies of them.
  void expect_scalar_sums(std::size_t n, bool mutual, std::size_t stride) {
    const PrecisionCase c = GetParam();
    const Cluster bodies(n), copy = bodies;
    const Cluster& targets = mutual ? bodies : copy;
    for (const bool jerk : {false, true}) {
      DirectTask task;
      task.source_position = bodies.position;
      task.source_velocity = bodies.velocity;
      task.source_mass = bodies.mass;
      task.target_position = targets.position;
      task.target_velocity = targets.velocity;
      task.target_mass = targets.mass;
      task.softening2 = c.softening * c.softening;
      task.precision = {c.accumulation, c.splitting};
      Results found(n, jerk), again(n, jerk);
      found.want(task);
      cuda_->sum(task);
      const Differences worst = differences(bodies, task, found, stride);
      EXPECT_LT(worst.acceleration, c.tolerance) << n << " mutual " << mutual << " jerk " << jerk;
      EXPECT_LT(worst.potential, c.tolerance) << n << " mutual " << mutual << " jerk " << jerk;
      EXPECT_LT(worst.jerk, 20 * c.tolerance) << n << " mutual " << mutual;
      again.want(task);
      cuda_->sum(task);
      EXPECT_TRUE(found == again);
    }
  }

  /// Each of two sets of bodies over the other, with and without jerks, twice.
  void expect_scalar_sums_of_both(std::size_t n, std::size_t m, std::size_t stride) {
    const PrecisionCase c = GetParam();
    const Cluster first(n);
    Cluster second(m);
    second.position[2] = first.position[1];
    for (const bool jerk : {false, true}) {
      Results of_first(n, jerk), of_second(m, jerk), first_again(n, jerk), second_again(m, jerk);
      const DirectCouple couple{
          first.block(of_first), second.block(of_second), c.softening * c.softening, {c.accumulation, c.splitting}};
      cuda_->sum_both(couple);
      const auto expect_near = [&](const Cluster& bodies, const DirectTask& task, const Results& found) {
        const Differences worst = differences(bodies, task, found, stride);
        EXPECT_LT(worst.acceleration, c.of_both) << n << " and " << m << " jerk " << jerk;
        EXPECT_LT(worst.potential, c.of_both) << n << " and " << m << " jerk " << jerk;
        EXPECT_LT(worst.jerk, 20 * c.of_both) << n << " and " << m;
      };
      expect_near(first, couple.one_way(), of_first);
      expect_near(second, couple.swapped().one_way(), of_second);
      DirectCouple again = couple;
      again.first = first.block(first_again);
      again.second = second.block(second_again);
      cuda_->sum_both(again);
      EXPECT_TRUE(of_first == first_again && of_second == second_again);
    }
  }

  std::unique_ptr<DirectBackend> cuda_;
};

TEST_P(DirectOnDevice, IsTheScalarSum) {
  for (const std::size_t n : {5, 130, 3000}) {
    for (const bool mutual : {false, true}) expect_scalar_sums(n, mutual, 1);
  }
}

TEST_P(DirectOnDevice, EachPairOnceForBoth) {
  pair_few();
  expect_scalar_sums(5001, true, 11);
}

TEST_P(DirectOnDevice, EachPairOnceOfManyBodies) {
  expect_scalar_sums(40001, true, 101);
  expect_scalar_sums_of_both(40001, 20002, 101);
}

TEST_P(DirectOnDevice, TwoBlocksOverEachOther) {
  for (const std::size_t m : {4, 250, 3000}) expect_scalar_sums_of_both(130, m, 1);
  pair_few();
  expect_scalar_sums_of_both(5001, 2502, 11);
  expect_scalar_sums_of_both(2502, 5001, 11);
}

INSTANTIATE_TEST_SUITE_P(All, DirectOnDevice,
                         testing::Values(PrecisionCase{Accumulation::plain, Splitting::single, 3e19, 2e-5},
                                         PrecisionCase{Accumulation::chamomile, Splitting::single, 3e19, 4e-6},
                                         PrecisionCase{Accumulation::compensated, Splitting::hi_lo, 3e19, 1e-6},
                                         PrecisionCase{Accumulation::compensated, Splitting::hi_lo, 0, 1e-6},
                                         PrecisionCase{Accumulation::mixed, Splitting::single, 3e19, 4e-6},
                                         PrecisionCase{Accumulation::mixed, Splitting::hi_lo, 3e19, 1e-6},
                                         PrecisionCase{Accumulation::mixed, Splitting::hi_lo, 0, 2e-6, 4e-6},
                                         PrecisionCase{Accumulation::full, Splitting::single, 3e19, 1e-12},
                                         PrecisionCase{Accumulation::full, Splitting::single, 0, 1e-12}));

TEST(DirectBackendOnDevice, TwoUnderWayAreTheSame) {
  const auto cuda = direct_or_null(few);
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const Cluster first(5001), second(3300), third(100);
  const auto task_of = [](const Cluster& bodies, Results& into) {
    DirectTask task;
    task.source_position = task.target_position = bodies.position;
    task.source_velocity = task.target_velocity = bodies.velocity;
    task.source_mass = task.target_mass = bodies.mass;
    task.softening2 = 1e38;
    into.want(task);
    return task;
  };
  const auto run = [&](bool together) {
    std::vector<Results> results;
    for (const Cluster* bodies : {&first, &first, &second, &third}) results.emplace_back(bodies->position.size(), true);
    const auto finish_first = cuda->begin_sum(task_of(first, results[0]));
    if (!together) finish_first();
    const auto finish_both = cuda->begin_sum_both({first.block(results[1]), second.block(results[2]), 1e38, {}});
    if (together) finish_first();
    if (!together) finish_both();
    const auto finish_few = cuda->begin_sum(task_of(third, results[3]));
    if (together) finish_both();
    finish_few();
    return results;
  };
  EXPECT_TRUE(run(true) == run(false));
}

TEST(DirectBackendOnDevice, SumsOverOtherBodies) {
  const auto cuda = direct_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const Cluster sources(1000), targets(77);
  DirectTask task;
  task.source_position = sources.position;
  task.source_mass = sources.mass;
  task.target_position = targets.position;
  task.softening2 = 1e38;
  Results found(77, false), exact(77, false);
  found.want(task);
  cuda->sum(task);
  exact.want(task);
  make_scalar_direct_backend()->sum(task);
  for (std::size_t i = 0; i < 77; ++i) {
    EXPECT_LT(norm(found.acceleration[i] - exact.acceleration[i]), 1e-6 * norm(exact.acceleration[i]));
    EXPECT_NEAR(found.potential[i] / exact.potential[i], 1, 1e-6);
  }
  task.source_position = {};
  task.source_mass = {};
  found.want(task);
  cuda->sum(task);
  EXPECT_EQ(found.acceleration[5], Vec3d{});
  EXPECT_EQ(found.potential[5], 0);
}

/// Bodies that single precision would not resolve: the device sums them in double precision, as the host does.
class CrowdedOnDevice : public testing::TestWithParam<PrecisionCase> {
 protected:
  /// Errors of the bodies from `first` on, with and without jerks, if all bodies are one block or two.
  static void expect_exact(const Cluster& bodies, std::size_t first) {
    const auto cuda = direct_or_null(few);
    if (!cuda) GTEST_SKIP() << "no CUDA device";
    const PrecisionCase c = GetParam();
    const std::size_t n = bodies.position.size();
    for (const bool jerk : {false, true}) {
      DirectTask task;
      task.source_position = task.target_position = bodies.position;
      task.source_velocity = task.target_velocity = bodies.velocity;
      task.source_mass = task.target_mass = bodies.mass;
      task.softening2 = c.softening * c.softening;
      task.precision = {c.accumulation, c.splitting};
      Results found(n, jerk), exact(n, jerk), both(n, jerk);
      found.want(task);
      cuda->sum(task);
      exact.want(task);
      make_scalar_direct_backend()->sum(task);
      for (std::size_t i = first; i < n; ++i) {
        EXPECT_LT(norm(found.acceleration[i] - exact.acceleration[i]), c.tolerance * norm(exact.acceleration[i])) << i;
        EXPECT_NEAR(found.potential[i] / exact.potential[i], 1, c.tolerance) << i;
        if (jerk) {
          EXPECT_LT(norm(found.jerk[i] - exact.jerk[i]), 20 * c.tolerance * norm(exact.jerk[i])) << i;
        }
      }
      const auto half = [&](Results& into, std::size_t begin, std::size_t count) {
        const auto part = [&](auto& values) {
          return values.empty() ? std::span(values) : std::span(values).subspan(begin, count);
        };
        return DirectBlock{std::span(bodies.position).subspan(begin, count),
                           std::span(bodies.velocity).subspan(begin, count),
                           std::span(bodies.mass).subspan(begin, count),
                           part(into.acceleration),
                           part(into.jerk),
                           part(into.potential)};
      };
      const DirectCouple couple{half(both, 0, n / 2), half(both, n / 2, n - n / 2), task.softening2, task.precision};
      cuda->sum_both(couple);
      const std::vector<Vec3d> got = both.acceleration;
      make_scalar_direct_backend()->sum_both(couple);
      for (std::size_t i = first; i < n; ++i) {
        EXPECT_LT(norm(got[i] - both.acceleration[i]), c.tolerance * norm(both.acceleration[i])) << i;
      }
    }
  }
};

TEST_P(CrowdedOnDevice, ABodyFarAway) {
  for (const std::size_t n : {100, 5001}) {
    for (const double distance : {1e7, 1e12, 1e30}) {
      Cluster bodies(n);
      bodies.position[0] = {distance * 1e20, 0, 0};
      bodies.mass[0] *= 1e-12;
      expect_exact(bodies, 1);
    }
  }
}

TEST_P(CrowdedOnDevice, TwoGroupsFarApart) {
  Cluster bodies(600);
  for (std::size_t i = 0; i < 300; ++i) bodies.position[i].x += 1e32;
  expect_exact(bodies, 0);
}

TEST_P(CrowdedOnDevice, AFewCloseTogether) {
  Cluster bodies(600);
  for (std::size_t i = 100; i < 110; ++i) bodies.position[i] = Vec3d{1e20, 0, 0} + bodies.position[i] * 1e-11;
  expect_exact(bodies, 0);
}

INSTANTIATE_TEST_SUITE_P(All, CrowdedOnDevice,
                         testing::Values(PrecisionCase{Accumulation::mixed, Splitting::hi_lo, 3e19, 1e-5},
                                         PrecisionCase{Accumulation::mixed, Splitting::hi_lo, 0, 1e-5},
                                         PrecisionCase{Accumulation::mixed, Splitting::single, 0, 1e-5},
                                         PrecisionCase{Accumulation::full, Splitting::hi_lo, 0, 1e-5}));

TEST(DirectBackendOnDevice, ATinySofteningCountsAsNone) {
  const auto cuda = direct_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const Cluster bodies(300);
  for (const Accumulation sums : {Accumulation::mixed, Accumulation::full}) {
    const auto found = [&](double softening2) {
      Results into(300, true);
      DirectTask task;
      task.source_position = task.target_position = bodies.position;
      task.source_velocity = task.target_velocity = bodies.velocity;
      task.source_mass = task.target_mass = bodies.mass;
      task.softening2 = softening2;
      task.precision.accumulation = sums;
      into.want(task);
      cuda->sum(task);
      return into;
    };
    EXPECT_TRUE(found(1e-206) == found(0));
  }
}

/// So many that the sums of the rows' columns do not fit into one launch's memory.
TEST(DirectBackendOnDevice, SeveralLaunchesOfManyBodies) {
  const auto cuda = direct_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  constexpr std::size_t stride = 3001;
  const Cluster bodies(300001), others(200001);
  Results found(300001, true), of_others(200001, true);
  const auto expect_near = [](const Cluster& of, const DirectTask& task, const Results& sums) {
    const Differences worst = differences(of, task, sums, stride);
    EXPECT_LT(worst.acceleration, 4e-6);
    EXPECT_LT(worst.jerk, 4e-5);
    EXPECT_LT(worst.potential, 4e-6);
  };
  const DirectCouple couple{bodies.block(found), others.block(of_others), 1e39, {}};
  cuda->sum_both(couple);
  expect_near(bodies, couple.one_way(), found);
  expect_near(others, couple.swapped().one_way(), of_others);
  DirectTask task = couple.one_way();
  task.source_position = bodies.position;
  task.source_velocity = bodies.velocity;
  task.source_mass = task.target_mass = bodies.mass;
  found.want(task);
  cuda->sum(task);
  expect_near(bodies, task, found);
}

/// More results than come in one piece: one at a wrong place would be wrong by its own size.
TEST(DirectBackendOnDevice, ResultsInSeveralPieces) {
  const auto cuda = direct_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const std::size_t n = 200001;
  const Cluster sources(64), targets(n);
  DirectTask task;
  task.source_position = sources.position;
  task.source_velocity = sources.velocity;
  task.source_mass = sources.mass;
  task.target_position = targets.position;
  task.target_velocity = targets.velocity;
  task.softening2 = 1e38;
  Results found(n, true);
  found.want(task);
  cuda->sum(task);
  const Differences worst = differences(targets, task, found, 1);
  EXPECT_LT(worst.acceleration, 1e-3);
  EXPECT_LT(worst.jerk, 1e-3);
  EXPECT_LT(worst.potential, 1e-3);
}

}  // namespace
}  // namespace multiwalk::device_test
