// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"
#include "host/time/block_stepper.hpp"
#include "host/time/block_ticks.hpp"
#include "ic/models/plummer.hpp"
#include "ic/models/two_body.hpp"
#include "tests/support/double_pairs.hpp"

namespace multiwalk {
namespace {

constexpr double softening = 0.01;

DirectOptions with(DirectScheme scheme, DirectSteps steps) {
  DirectOptions options;
  options.scheme = scheme;
  options.steps = steps;
  options.step = 1.0 / 128;
  options.max_step = 1.0 / 16;
  options.softening = softening;
  return options;
}

/// A cluster of 24 and its integrator.
struct IntegratedCluster {
  explicit IntegratedCluster(const DirectOptions& options)
      : IntegratedCluster(options, make_plummer_bodies(24, 5), {}) {}
  IntegratedCluster(const DirectOptions& options, const Bodies& bodies, const DirectState& state)
      : integrator(make_direct_integrator(options, bodies, state, forces)) {}
  test::DoublePairs pairs;
  LocalForces forces{pairs};
  std::unique_ptr<DirectIntegrator> integrator;
};

/// Largest difference of places and velocities.
double distance(const Bodies& a, const Bodies& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max({largest, norm(a.position[i] - b.position[i]), norm(a.velocity[i] - b.velocity[i])});
  }
  return largest;
}

TEST(DirectIntegrator, HalfKicksMakeTvLeapfrog) {
  IntegratedCluster tv(with(DirectScheme::tv_half_kicks, DirectSteps::fixed));
  IntegratedCluster leapfrog(with(DirectScheme::leapfrog, DirectSteps::fixed));
  IntegratedCluster plain(with(DirectScheme::tv, DirectSteps::fixed));
  for (const double time : {0.25, 0.3, 1.0}) {
    for (IntegratedCluster* cluster : {&tv, &leapfrog, &plain}) cluster->integrator->advance(time);
    EXPECT_LT(distance(tv.integrator->bodies(), leapfrog.integrator->bodies()), 1e-12) << time;
  }
  EXPECT_GT(distance(plain.integrator->bodies(), leapfrog.integrator->bodies()), 1e-4);
}

TEST(DirectIntegrator, HalfKicksFollowTimesAskedForAnew) {
  IntegratedCluster tv(with(DirectScheme::tv_half_kicks, DirectSteps::fixed));
  IntegratedCluster leapfrog(with(DirectScheme::leapfrog, DirectSteps::fixed));
  for (IntegratedCluster* cluster : {&tv, &leapfrog}) {
    for (int s = 0; s < 10; ++s) cluster->integrator->step(0.99);
    cluster->integrator->advance(0.0787);
  }
  EXPECT_LT(distance(tv.integrator->bodies(), leapfrog.integrator->bodies()), 1e-12);
}

TEST(DirectIntegrator, BlockAndSharedStepsFollowTheSameOrbits) {
  DirectOptions options = with(DirectScheme::hermite, DirectSteps::block);
  options.eta = 1e-4;
  options.eta_start = 1e-3;
  IntegratedCluster block(options);
  options.steps = DirectSteps::shared;
  IntegratedCluster shared(options);
  for (IntegratedCluster* cluster : {&block, &shared}) cluster->integrator->advance(0.3);
  EXPECT_LT(distance(block.integrator->bodies(), shared.integrator->bodies()), 1e-9);
  EXPECT_LT(block.integrator->counts().body_steps, shared.integrator->counts().body_steps * 2 / 3);
}

TEST(DirectIntegrator, BlockOfOneRungIsTheFixedStep) {
  DirectOptions options = with(DirectScheme::hermite, DirectSteps::block);
  options.max_step = options.step;
  options.eta = options.eta_start = 1e9;  // nothing shortens the step
  IntegratedCluster block(options);
  options.steps = DirectSteps::fixed;
  IntegratedCluster fixed(options);
  for (IntegratedCluster* cluster : {&block, &fixed}) cluster->integrator->advance(0.5);
  EXPECT_EQ(block.integrator->counts().steps, 64U);
  EXPECT_EQ(distance(block.integrator->bodies(), fixed.integrator->bodies()), 0);
}

/// A step shortens at will; it grows where one of twice its length begins, and to twice its length.
TEST(DirectIntegrator, BlockStepsAreCommensurable) {
  IntegratedCluster cluster(with(DirectScheme::hermite, DirectSteps::block));
  DirectIntegrator& integrator = *cluster.integrator;
  const std::size_t n = integrator.bodies().size();
  integrator.step(1.0);
  std::vector<double> time(n), step(n);
  std::uint64_t longer = 0, shorter = 0;
  while (integrator.time() < 1.0) {
    for (std::size_t i = 0; i < n; ++i) time[i] = integrator.own_time(i), step[i] = integrator.own_step(i);
    const bool block_begins = integrator.synchronised();
    integrator.step(1.0);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_GE(integrator.own_time(i) + integrator.own_step(i), integrator.time());
      if (integrator.own_time(i) == time[i]) {
        ASSERT_EQ(integrator.own_step(i), step[i]);
        continue;
      }
      ASSERT_EQ(integrator.own_time(i), integrator.time());
      if (!block_begins) {
        ASSERT_EQ(integrator.time(), time[i] + step[i]);
      }
      const double now = integrator.own_step(i);
      ASSERT_EQ(std::remainder(integrator.time(), now), 0);
      ASSERT_LE(now, 2 * step[i]);
      longer += now > step[i] ? 1 : 0;
      shorter += now < step[i] ? 1 : 0;
    }
  }
  EXPECT_GT(longer, 10U);
  EXPECT_GT(shorter, 10U);
}

/// What a device does, done by an integrator of its own.
class SteppingApart : public BlockStepper {
 public:
  [[nodiscard]] bool takes(const DirectOptions& options, std::size_t) const override { return options.iterations == 1; }
  BlockSteps steps(const DirectOptions& options, Bodies& bodies, DirectState& state, std::uint64_t most) override {
    if (!state.frame) ++blocks;
    state.frame = DirectFrame{};
    IntegratedCluster cluster(options, bodies, state);
    while (cluster.integrator->counts().steps < most && cluster.integrator->time() < state.block_end) {
      cluster.integrator->step(state.block_end);
    }
    bodies = cluster.integrator->bodies();
    state.tick = cluster.integrator->state().tick;
    state.rung = cluster.integrator->state().rung;
    return {cluster.integrator->counts(), 0.5};
  }
  std::uint64_t blocks = 0;
};

TEST(DirectIntegrator, AStepperMakesTheBlockSteps) {
  const DirectOptions options = with(DirectScheme::hermite, DirectSteps::block);
  const Bodies bodies = make_plummer_bodies(24, 5);
  IntegratedCluster alone(options);
  SteppingApart stepper;
  test::DoublePairs pairs;
  LocalForces forces(pairs);
  const auto apart = make_direct_integrator(options, bodies, {}, forces, &stepper);
  std::uint64_t calls = 0;
  for (const double time : {0.1, 0.5}) {
    alone.integrator->advance(time);
    for (; apart->time() < time; ++calls) EXPECT_LE(apart->steps(time, 5), 5U);
    EXPECT_TRUE(apart->synchronised());
    EXPECT_EQ(distance(apart->bodies(), alone.integrator->bodies()), 0);
  }
  EXPECT_EQ(stepper.blocks, 2U + 7U);  // of 1/16 at most
  EXPECT_EQ(apart->counts().steps, alone.integrator->counts().steps);
  EXPECT_EQ(apart->counts().body_steps, alone.integrator->counts().body_steps);
  EXPECT_EQ(forces.counts().pairs, alone.forces.counts().pairs);
  EXPECT_GE(forces.counts().summing, 0.5 * static_cast<double>(calls));

  DirectOptions twice = options;
  twice.iterations = 2;
  const auto here = make_direct_integrator(twice, bodies, {}, forces, &stepper);
  EXPECT_EQ(here->steps(1, 5), 1U);
}

TEST(DirectIntegrator, MeetsTheTimesAskedFor) {
  for (const DirectSteps steps : {DirectSteps::fixed, DirectSteps::shared, DirectSteps::block}) {
    IntegratedCluster cluster(with(DirectScheme::hermite, steps));
    for (const double time : {0.1, 0.2, 0.3, 0.301, std::sqrt(0.5)}) {
      cluster.integrator->advance(time);
      EXPECT_EQ(cluster.integrator->time(), time);
      EXPECT_TRUE(cluster.integrator->synchronised());
      for (std::size_t i = 0; i < cluster.integrator->bodies().size(); ++i) {
        ASSERT_EQ(cluster.integrator->own_time(i), time);
      }
    }
    const Bodies free = cluster.integrator->bodies();
    const double before = test::energy(make_plummer_bodies(24, 5), softening);
    EXPECT_NEAR(test::energy(free, softening) / before, 1, 1e-5);
  }
}

/// A light body between two that pass it side by side: no acceleration, but a jerk. They meet again where they would
/// alone.
TEST(DirectIntegrator, BalancedForcesBeginWithASensibleStep) {
  Bodies bodies;
  bodies.resize(3);
  bodies.position = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  bodies.velocity = {{0, 0.3, 0}, {0, 0.3, 0}, {0, 0, 0}};
  bodies.mass = {1, 1, 1e-9};
  for (const DirectSteps steps : {DirectSteps::shared, DirectSteps::block}) {
    IntegratedCluster cluster(with(DirectScheme::hermite, steps), bodies, {});
    cluster.integrator->start();
    ASSERT_EQ(cluster.integrator->bodies().acceleration[2], Vec3d{});
    ASSERT_GT(norm(cluster.integrator->bodies().jerk[2]), 0.1);
    cluster.integrator->step(0.5);
    const double first = cluster.integrator->own_step(2);
    EXPECT_GT(first, 1e-5);
    EXPECT_LT(first, 1e-3);
    cluster.integrator->advance(0.5);
    EXPECT_LT(cluster.integrator->counts().steps, 200U);
    const Vec3d left = cluster.integrator->bodies().position[0], right = cluster.integrator->bodies().position[1];
    EXPECT_NEAR(norm(left + right - Vec3d{0, 0.3, 0}), 0, 1e-8);
  }
}

class Restart : public testing::TestWithParam<std::pair<DirectScheme, DirectSteps>> {};

TEST_P(Restart, GoesOnBitForBit) {
  const DirectOptions options = with(GetParam().first, GetParam().second);
  IntegratedCluster cluster(options);
  for (int s = 0; s < 37; ++s) cluster.integrator->step(1.0);
  const DirectState state = cluster.integrator->state();
  Bodies kept = cluster.integrator->bodies();
  IntegratedCluster restarted(options, kept, state);
  for (const double time : {1.0, 1.3}) {
    cluster.integrator->advance(time);
    restarted.integrator->advance(time);
    EXPECT_EQ(distance(cluster.integrator->bodies(), restarted.integrator->bodies()), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Restart,
                         testing::Values(std::pair{DirectScheme::tv, DirectSteps::fixed},
                                         std::pair{DirectScheme::tv_half_kicks, DirectSteps::fixed},
                                         std::pair{DirectScheme::leapfrog, DirectSteps::fixed},
                                         std::pair{DirectScheme::hermite, DirectSteps::fixed},
                                         std::pair{DirectScheme::hermite, DirectSteps::shared},
                                         std::pair{DirectScheme::hermite, DirectSteps::block}));

TEST(DirectIntegrator, PotentialsOfPresentPlacesDoNotDisturb) {
  IntegratedCluster looked(with(DirectScheme::hermite, DirectSteps::block)),
      left(with(DirectScheme::hermite, DirectSteps::block));
  looked.integrator->advance(0.5);
  looked.integrator->evaluate_potential();
  const Bodies& bodies = looked.integrator->bodies();
  double energy = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    energy += bodies.mass[i] * (norm2(bodies.velocity[i]) + bodies.potential[i]) / 2;
  }
  EXPECT_NEAR(energy, test::energy(bodies, softening), 1e-14);
  for (IntegratedCluster* cluster : {&looked, &left}) cluster->integrator->advance(1);
  EXPECT_EQ(distance(looked.integrator->bodies(), left.integrator->bodies()), 0);
}

TEST(DirectIntegrator, RefusesStepsBelowTheRoundingOfTheClock) {
  for (const DirectScheme scheme : {DirectScheme::leapfrog, DirectScheme::hermite}) {
    DirectOptions options = with(scheme, DirectSteps::fixed);
    options.step = 1e-11;
    DirectState late;
    late.time = 1e6;
    IntegratedCluster cluster(options, make_plummer_bodies(2, 5), late);
    EXPECT_THROW(cluster.integrator->step(1e6 + 1), Error);
  }
}

TEST(DirectIntegrator, SaysWhatCannotBeUsed) {
  DirectOptions options = with(DirectScheme::leapfrog, DirectSteps::block);
  EXPECT_THROW(check_options(options), InputError);
  options.steps = DirectSteps::fixed;
  EXPECT_NO_THROW(check_options(options));
  options.step = 0;
  EXPECT_THROW(check_options(options), InputError);
  options = with(DirectScheme::hermite, DirectSteps::block);
  options.iterations = 0;
  EXPECT_THROW(check_options(options), InputError);
  Bodies lost = make_plummer_bodies(4, 1);
  lost.position[2].x = NAN;
  IntegratedCluster cluster(with(DirectScheme::hermite, DirectSteps::block), lost, {});
  EXPECT_THROW(cluster.integrator->advance(0.1), Error);
}

}  // namespace
}  // namespace multiwalk
