// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that are not in the store: a back end that grows trees takes them in pieces; otherwise the store gets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"
#include "host/force/particle_feed.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/growing_backend.hpp"
#include "tests/support/models.hpp"
#include "tests/unit/host/force/store_feed.hpp"

namespace multiwalk {
namespace {

using test::blank_store;
using test::GrowingBackend;
using test::in_order_of_ids;
using test::StoreFeed;

const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};

/// Particles with old accelerations, and their forces by the usual way.
struct Case {
  ParticleStore particles = test::plummer(5000), expected;
  explicit Case(const GravityOptions& options, bool old) {
    for (std::size_t i = 0; i < particles.size(); ++i) particles.id[i] = i;
    for (Vec3f& a : particles.acceleration) a = old ? Vec3f{0.1F, 0.2F, 0.3F} : Vec3f{};
    expected = particles;
    GrowingBackend usual;
    GravitySolver(options, usual).accelerate(expected, law);
    expected = in_order_of_ids(expected);
  }
};

class ParticleFeeds : public testing::TestWithParam<std::tuple<Mac, bool>> {
 protected:
  GravityOptions options_;
  void SetUp() override { options_.mac = std::get<0>(GetParam()); }
  [[nodiscard]] bool old() const { return std::get<1>(GetParam()); }
};

TEST_P(ParticleFeeds, GiveTheForcesOfTheStore) {
  const Case problem(options_, old());
  GrowingBackend growing;
  StoreFeed feed(problem.particles);
  ParticleStore store = blank_store(feed.from.size());
  ForceContext context;
  context.feed = &feed;
  GravitySolver(options_, growing).accelerate(store, law, context);
  EXPECT_EQ(feed.taken, store.size());
  EXPECT_EQ(feed.results.acceleration, problem.expected.acceleration);
  EXPECT_EQ(feed.results.potential, problem.expected.potential);
  EXPECT_TRUE(std::ranges::is_sorted(store.id));
  // Only a first evaluation without old accelerations leaves particles in the store.
  const bool twice = options_.relative() && !old();
  EXPECT_EQ(std::isnan(store.position[0].x), !twice);
  EXPECT_EQ(growing.grown, twice ? 2 : 1);
}

TEST_P(ParticleFeeds, FillTheStoreIfTheHostGrowsTheTree) {
  const Case problem(options_, old());
  for (const bool takes : {false, true}) {
    GrowingBackend growing;
    growing.refuses_to_take = !takes;
    growing.refuses_to_grow = takes;
    StoreFeed feed(problem.particles);
    ParticleStore store = blank_store(feed.from.size());
    ForceContext context;
    context.feed = &feed;
    GravitySolver(options_, growing).accelerate(store, law, context);
    EXPECT_EQ(feed.taken, 0U);
    ParticleStore sums = problem.particles;
    const auto cpu = make_simd_backend();
    GravitySolver(options_, *cpu).accelerate(sums, law);
    EXPECT_EQ(in_order_of_ids(store).acceleration, in_order_of_ids(sums).acceleration);
    EXPECT_EQ(in_order_of_ids(store).position, in_order_of_ids(sums).position);
  }
}

/// The host sorts the store for the first of two evaluations: results of the second are in the store's order.
TEST(ParticleFeed, GetNoResultsOfAStoreInAnotherOrder) {
  GravityOptions options;
  options.mac = Mac::relative;
  const Case problem(options, false);
  GrowingBackend growing;
  growing.refusals = 1;
  StoreFeed feed(problem.particles);
  ParticleStore store = blank_store(feed.from.size());
  ForceContext context;
  context.feed = &feed;
  GravitySolver(options, growing).accelerate(store, law, context);
  EXPECT_EQ(growing.grown, 1);
  EXPECT_FALSE(std::ranges::is_sorted(store.id));
  EXPECT_EQ(feed.taken, 0U);
  const ParticleStore found = in_order_of_ids(store);
  double error = 0, all = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    error += norm(found.acceleration[i] - problem.expected.acceleration[i]);
    all += norm(found.acceleration[i]);
  }
  EXPECT_LT(error, 1e-4 * all);
}

TEST_P(ParticleFeeds, PassOnErrorsAndWorkAgainAfterwards) {
  const Case problem(options_, old());
  GrowingBackend growing;
  GravitySolver solver(options_, growing);
  for (const auto unusable :
       {&StoreFeed::unusable_position, &StoreFeed::unusable_mass, &StoreFeed::unusable_acceleration}) {
    if (unusable == &StoreFeed::unusable_acceleration && !options_.relative()) continue;  // they are not needed
    StoreFeed feed(problem.particles);
    feed.*unusable = true;
    ParticleStore store = blank_store(feed.from.size());
    ForceContext context;
    context.feed = &feed;
    EXPECT_THROW(solver.accelerate(store, law, context), InputError);
    feed.*unusable = false;
    solver.accelerate(store, law, context);
    EXPECT_EQ(feed.results.acceleration, problem.expected.acceleration);
  }
}

INSTANTIATE_TEST_SUITE_P(Criteria, ParticleFeeds,
                         testing::Combine(testing::Values(Mac::barnes90, Mac::relative), testing::Bool()));

}  // namespace
}  // namespace multiwalk
