// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "decomposition/ring/ring_forces.hpp"
#include "host/time/direct_integrator.hpp"
#include "ic/models/plummer.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/double_pairs.hpp"

namespace multiwalk {
namespace {

constexpr double softening = 0.05;

struct Sums {
  std::vector<Vec3d> acceleration, jerk;
  std::vector<double> potential;
};

/// Forces on the bodies whose ids are multiples of `divisor`, the very arrays if that is 1; without jerks if not
/// `jerks`.
Sums sums_on(const Bodies& bodies, std::uint64_t divisor, bool jerks, DirectForces& forces,
             std::vector<std::uint64_t>& ids) {
  Bodies targets;
  ids.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.id[i] % divisor != 0) continue;
    targets.position.push_back(bodies.position[i]);
    targets.velocity.push_back(bodies.velocity[i]);
    targets.mass.push_back(bodies.mass[i]);
    ids.push_back(bodies.id[i]);
  }
  const std::size_t n = targets.size();
  Sums sums{std::vector<Vec3d>(n), std::vector<Vec3d>(jerks ? n : 0), std::vector<double>(n)};
  DirectTask task;
  task.source_position = bodies.position;
  task.source_mass = bodies.mass;
  task.target_position = divisor == 1 ? bodies.position : targets.position;
  task.target_mass = targets.mass;
  if (jerks) {
    task.source_velocity = bodies.velocity;
    task.target_velocity = divisor == 1 ? bodies.velocity : targets.velocity;
  }
  task.softening2 = softening * softening;
  task.acceleration = sums.acceleration;
  task.jerk = sums.jerk;
  task.potential = sums.potential;
  forces.sum(task);
  return sums;
}

/// The bodies of rank r: a share in the order of ids, or, if `uneven`, twice as many on each next rank but none on the
/// second.
Bodies share(const Bodies& all, bool uneven) {
  Bodies own;
  const auto ranks = static_cast<std::uint64_t>(world().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::uint64_t owner = i * ranks / all.size();
    if (uneven) {
      owner = 0;
      for (std::uint64_t word = i * 2654435761U; owner + 1 < ranks && word % 3 == 0; word /= 3) ++owner;
      if (owner == 1) owner = 0;
    }
    if (owner != static_cast<std::uint64_t>(world().rank())) continue;
    const std::size_t k = own.size();
    own.resize(k + 1);
    own.position[k] = all.position[i];
    own.velocity[k] = all.velocity[i];
    own.mass[k] = all.mass[i];
    own.id[k] = all.id[i];
  }
  return own;
}

class RingForcesOverRanks : public testing::TestWithParam<bool> {};

TEST_P(RingForcesOverRanks, AreThoseOfOneRankAndRepeat) {
  const Bodies all = make_plummer_bodies(311, 4);
  const Bodies own = share(all, GetParam());
  test::DoublePairs pairs;
  LocalForces whole(pairs);
  RingForces ring(pairs, world());
  for (const bool jerks : {true, false}) {
    for (const std::uint64_t divisor : {1, 3, 97}) {
      std::vector<std::uint64_t> ids, all_ids;
      const Sums mine = sums_on(own, divisor, jerks, ring, ids);
      const Sums again = sums_on(own, divisor, jerks, ring, ids);
      const Sums expected = sums_on(all, divisor, jerks, whole, all_ids);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::size_t k = ids[i] / divisor;
        ASSERT_LT(norm(mine.acceleration[i] - expected.acceleration[k]), 1e-13 * norm(expected.acceleration[k]));
        ASSERT_NEAR(mine.potential[i], expected.potential[k], 1e-13);
        ASSERT_EQ(mine.acceleration[i], again.acceleration[i]);
        ASSERT_EQ(mine.potential[i], again.potential[i]);
        if (!jerks) continue;
        ASSERT_LT(norm(mine.jerk[i] - expected.jerk[k]), 1e-13 * (1 + norm(expected.jerk[k])));
        ASSERT_EQ(mine.jerk[i], again.jerk[i]);
      }
    }
  }
  const std::uint64_t all_pairs = 311 * (311 + 104 + 4) * 2 * 2;
  EXPECT_EQ(world().sum(ring.counts().pairs), all_pairs);
}

INSTANTIATE_TEST_SUITE_P(Shares, RingForcesOverRanks, testing::Values(false, true));

/// Sums that take long enough for another thread, which drives messages meanwhile, and to be kept for the time in which
/// sums travel back.
TEST(RingForces, LargeSumsRunBesideTheMessages) {
  struct Counting : DirectBackend {
    [[nodiscard]] std::string_view name() const override { return "counting"; }
    [[nodiscard]] std::string description() const override { return "adds masses"; }
    void sum(const DirectTask& task) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      double mass = 0;
      for (const double m : task.source_mass) mass += m;
      std::fill(task.potential.begin(), task.potential.end(), mass);
      std::fill(task.acceleration.begin(), task.acceleration.end(), Vec3d{mass, 0, 0});
    }
  };
  const std::size_t n = world().rank() == 1 && world().size() > 2 ? 0 : 33000 + 4000 * std::size_t(world().rank());
  const std::vector<Vec3d> position(n);
  std::vector<double> mass(n);
  std::iota(mass.begin(), mass.end(), world().rank());
  std::vector<double> potential(n);
  std::vector<Vec3d> acceleration(n);
  DirectTask task;
  task.source_position = task.target_position = position;
  task.source_mass = task.target_mass = mass;
  task.acceleration = acceleration;
  task.potential = potential;
  Counting backend;
  RingForces ring(backend, world());
  ring.sum(task);
  const double all = world().sum(std::accumulate(mass.begin(), mass.end(), 0.0));
  for (const double sum : potential) ASSERT_EQ(sum, all);
  for (const Vec3d& sum : acceleration) ASSERT_EQ(sum.x, all);
}

TEST(RingForces, BlockStepsAreThoseOfOneRank) {
  const Bodies all = make_plummer_bodies(64, 9);
  test::DoublePairs pairs;
  LocalForces whole(pairs);
  RingForces ring(pairs, world());
  DirectOptions options;
  options.softening = softening;
  options.max_step = 0.0625;
  const auto alone = make_direct_integrator(options, all, {}, whole);
  const auto together = make_direct_integrator(options, share(all, true), {}, ring);
  for (DirectIntegrator* integrator : {alone.get(), together.get()}) integrator->advance(0.5);
  EXPECT_EQ(together->counts().steps, alone->counts().steps);
  EXPECT_EQ(world().sum(together->counts().body_steps), alone->counts().body_steps);
  const Bodies& mine = together->bodies();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    ASSERT_LT(norm(mine.position[i] - alone->bodies().position[mine.id[i]]), 1e-11);
    ASSERT_LT(norm(mine.velocity[i] - alone->bodies().velocity[mine.id[i]]), 1e-11);
  }
}

}  // namespace
}  // namespace multiwalk
