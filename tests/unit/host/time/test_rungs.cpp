// SPDX-License-Identifier: GPL-3.0-or-later
// Rungs: which step a particle takes, and when it may change it.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/base/error.hpp"
#include "host/time/rungs.hpp"

namespace multiwalk {
namespace {

ParticleStore particles_with(std::size_t n) {
  ParticleStore store;
  store.resize(n);
  store.set_rungs(true);
  return store;
}

TEST(Rungs, ABlockEndsExactlyAndIsEvenInLnA) {
  const Block block(0.1, 0.105, true);
  EXPECT_EQ(block.at(0), 0.1);
  EXPECT_EQ(block.at(Block::ticks), 0.105);
  EXPECT_DOUBLE_EQ(block.at(Block::ticks / 2), std::sqrt(0.1 * 0.105));
  EXPECT_NEAR(block.length(), std::log(1.05), 1e-15);
  const Block isolated(2, 2.5, false);
  EXPECT_EQ(isolated.at(Block::ticks), 2.5);
  EXPECT_DOUBLE_EQ(isolated.at(Block::ticks / 4), 2.125);
  EXPECT_DOUBLE_EQ(isolated.length(), 0.5);
}

TEST(Rungs, TheCriterionTakesTheLongestPartThatIsShortEnough) {
  const RungCriterion criterion{1, 1, 0};  // a step of 1/sqrt(g)
  EXPECT_EQ(criterion(0), 0);
  EXPECT_EQ(criterion(0.5), 0);
  EXPECT_EQ(criterion(1), 0);
  EXPECT_EQ(criterion(1.01), 1);
  EXPECT_EQ(criterion(4), 1);
  EXPECT_EQ(criterion(4.01), 2);
  EXPECT_EQ(criterion(std::pow(4.0, 9)), 9);
  EXPECT_EQ(criterion(1e30), deepest_rung);
  EXPECT_EQ((RungCriterion{1, 1, 0.2}(1e30)), 2);    // a step of 1/8 would be too short
  EXPECT_EQ((RungCriterion{1, 1, 0.125}(1e30)), 3);  // this one is not
  EXPECT_EQ((RungCriterion{0.3, 1, 0.3 / 8}(1e30)), 3);
  EXPECT_EQ((RungCriterion{1, 1, 0.2}(1)), 0);
  EXPECT_EQ((RungCriterion{1, 1, 2}(1e30)), 0);
  EXPECT_EQ((RungCriterion{1, 0, 0}(1e30)), 0);
}

TEST(Rungs, ThoseWhoseStepsEndAreSynchronised) {
  for (const std::uint32_t tick : {0U, 1U, 2U, 3U, 40U, 1U << 19, 3U << 18, Block::ticks}) {
    for (int rung = 0; rung <= deepest_rung; ++rung) {
      EXPECT_EQ(rung >= synchronised_rung(tick), tick % step_ticks(rung) == 0) << tick << " " << rung;
    }
  }
}

/// A block of particles whose accelerations jump about at random.
TEST(Rungs, EveryStepIsShortEnoughAndLongerOnesWaitUntilTheyAreSynchronised) {
  constexpr std::size_t n = 200;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<float> exponent(-1, 6);
  ParticleStore store = particles_with(n);
  const RungCriterion criterion{1, 1, 0};
  std::vector<std::uint32_t> begun(n, 0);
  int longer = 0, waited = 0;
  for (std::uint32_t tick = 0; tick < Block::ticks;) {
    const int synchronised = synchronised_rung(tick);
    const ParticleArray<std::uint8_t> before = store.rung;
    for (Vec3f& g : store.acceleration) g = {0, std::pow(4.0F, exponent(random)), 0};
    const PerRung<std::uint64_t> count = assign_rungs(store, criterion, 0, synchronised);
    int deepest = 0;
    std::uint64_t all = 0;
    for (int rung = 0; rung <= deepest_rung; ++rung) {
      const std::uint64_t here = count[static_cast<std::size_t>(rung)];
      all += here;
      if (here > 0) deepest = rung;
    }
    ASSERT_EQ(all, n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool ends = tick % step_ticks(before[i]) == 0;
      if (!ends) {
        ASSERT_EQ(store.rung[i], before[i]);
        continue;
      }
      if (tick > 0) {
        ASSERT_EQ(tick - begun[i], step_ticks(before[i]));
      }
      begun[i] = tick;
      const int wanted = criterion(norm(Vec3d(store.acceleration[i])));
      ASSERT_GE(store.rung[i], wanted);
      ASSERT_EQ(tick % step_ticks(store.rung[i]), 0U);
      if (store.rung[i] > wanted) {
        ASSERT_NE(tick % step_ticks(store.rung[i] - 1), 0U);
      }
      longer += tick > 0 && store.rung[i] < before[i] ? 1 : 0;
      waited += store.rung[i] > wanted ? 1 : 0;
    }
    tick += step_ticks(deepest);
  }
  EXPECT_GT(longer, 100);
  EXPECT_GT(waited, 100);
}

TEST(Rungs, KicksTakePairForcesFromRungsAndTheRestFromBlocks) {
  ParticleStore store = particles_with(3);
  for (std::size_t i = 0; i < 3; ++i) {
    store.acceleration[i] = {5, 0, 0};
    store.long_range[i] = {2, 0, 0};
    store.position[i] = {0, 1, 0};
    store.rung[i] = static_cast<std::uint8_t>(i);
  }
  PerRung<double> factor{};
  factor[0] = 1000;
  factor[1] = 10;
  factor[2] = 1;
  kick_rungs(store, factor, 0.5, 1);
  EXPECT_EQ(store.velocity[0], (Vec3f{0, 0, 0}));
  EXPECT_EQ(store.velocity[1], (Vec3f{30, 5, 0}));
  EXPECT_EQ(store.velocity[2], (Vec3f{3, 0.5F, 0}));
  kick_long_range(store, 100);
  EXPECT_EQ(store.velocity[2], (Vec3f{203, 0.5F, 0}));
}

TEST(Rungs, AccelerationsThatAreNotFiniteStopTheRun) {
  ParticleStore store = particles_with(2);
  store.acceleration[1] = {0, NAN, 0};
  EXPECT_THROW(assign_rungs(store, {1, 1, 0}, 0, 0), Error);
}

}  // namespace
}  // namespace multiwalk
