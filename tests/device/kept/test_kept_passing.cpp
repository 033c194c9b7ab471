// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that a device keeps and that may cross the light: their crossings are those of all particles, byte for
// byte, and the choice is the host's.
#include <algorithm>
#include <memory>

#include "host/force/particle_keeper.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/time/leapfrog.hpp"
#include "tests/device/kept/kept_backend.hpp"
#include "tests/support/sky/passage_cases.hpp"
#include "tests/support/sky/passing_on_host.hpp"

namespace multiwalk::device_test {
namespace {

Passage device_passage(const test::PassageCase& c) {
  const LightPath light(Expansion(CosmologyParameters{}), c.drift);
  return CrossingFinder(c.view, c.period, c.near, c.far, c.replicas).passage(light, c.drift.factor);
}

class KeptPassing : public testing::Test {
 protected:
  void SetUp() override {
    backend_ = keeping_backend();
    if (!backend_) GTEST_SKIP() << "no CUDA device";
  }
  ParticleKeeper& keeper() { return *backend_->particle_keeper(); }
  /// Keeps the particles, in the device's key order. The store is up to date.
  void keep(ParticleStore& store) {
    ASSERT_TRUE(keeper().keep(store));
    GravitySolver(kept_options(Mac::barnes90), *backend_, 2).accelerate(store, kept_law);
    ASSERT_TRUE(keeper().keeps(store));
    keeper().copy_home(Copied::all);
  }
  void expect_passing_of(const test::PassageCase& c, const ParticleStore& store) {
    const Passage passage = device_passage(c);
    const auto passing = keeper().find_passing(passage), expected = test::passing_on_host(passage, store);
    ASSERT_NE(passing, nullptr) << c.name;
    EXPECT_TRUE(std::ranges::equal(passing->index, expected->index)) << c.name;
    EXPECT_TRUE(std::ranges::equal(passing->position, expected->position)) << c.name;
    EXPECT_TRUE(std::ranges::equal(passing->velocity, expected->velocity)) << c.name;
    EXPECT_GT(test::expect_same_crossings(c, store, *passing), 100U) << c.name;
  }
  std::unique_ptr<ForceBackend> backend_;
};

/// In the store's order, in key order, and with rungs.
TEST_F(KeptPassing, HaveAllCrossings) {
  for (const test::PassageCase& c : test::passage_cases()) {
    for (const bool rungs : {false, true}) {
      ParticleStore store = test::passage_particles(60001, c.period, 300);
      store.set_rungs(rungs);
      for (std::size_t i = 0; i < store.size() && rungs; ++i) store.rung[i] = static_cast<std::uint8_t>(i % 3);
      ASSERT_TRUE(keeper().keep(store));
      expect_passing_of(c, store);
      keep(store);
      expect_passing_of(c, store);
      keeper().forget();
    }
  }
}

/// A drift after the tree was grown, and no copy to the store.
TEST_F(KeptPassing, AreWhereTheDeviceHasMovedThem) {
  const test::PassageCase c = test::passage_cases().front();
  ParticleStore store = test::passage_particles(50000, c.period, 300);
  keep(store);
  ParticleStore moved = store;
  keeper().move(DriftAlone{0.004});
  drift(moved, 0.004);
  const std::vector<Vec3d> before(store.position.begin(), store.position.end());
  expect_passing_of(c, moved);
  EXPECT_TRUE(std::ranges::equal(store.position, before)) << "the store is left alone";
  keeper().copy_home(Copied::all);
  EXPECT_TRUE(std::ranges::equal(store.position, moved.position));
  keeper().forget();
}

/// More copies than are on the device at a time, and a small box.
TEST_F(KeptPassing, InManyCopies) {
  test::PassageCase c = test::passage_cases()[5];
  c.period = 5;
  c.view.observer = {1, 2, 3};
  ParticleStore store = test::passage_particles(20001, c.period, 300);
  keep(store);
  EXPECT_GT(device_passage(c).copies.size(), 24 * store.size() / sizeof(PassageCopy));
  const auto passing = keeper().find_passing(device_passage(c));
  ASSERT_NE(passing, nullptr);
  EXPECT_EQ(passing->size(), store.size()) << "every particle in some copy";
  keeper().forget();
}

TEST_F(KeptPassing, AreNoneIfNothingMayPass) {
  ParticleStore store = test::passage_particles(30000, 100, 300);
  keep(store);
  const auto passing = keeper().find_passing({});
  ASSERT_NE(passing, nullptr);
  EXPECT_EQ(passing->size(), 0U);
  keeper().forget();
}

/// A result stays as it is while it is held, also after the particles are kept no longer.
TEST_F(KeptPassing, StayAsLongAsTheyAreHeld) {
  const std::vector<test::PassageCase> cases = test::passage_cases();
  ParticleStore store = test::passage_particles(30000, 100, 300);
  keep(store);
  const auto held = keeper().find_passing(device_passage(cases[0]));
  const auto other = keeper().find_passing(device_passage(cases[1]));
  keeper().forget();
  backend_.reset();
  const auto expected = test::passing_on_host(device_passage(cases[0]), store);
  EXPECT_TRUE(std::ranges::equal(held->index, expected->index));
  EXPECT_TRUE(std::ranges::equal(held->position, expected->position));
  EXPECT_NE(other->size(), held->size());
}

}  // namespace
}  // namespace multiwalk::device_test
