// SPDX-License-Identifier: GPL-3.0-or-later
// Forces of particles that come in pieces are those of the same particles in a store, bit for bit.
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"
#include "tests/unit/host/force/store_feed.hpp"

namespace multiwalk::device_test {
namespace {

const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};

class FedParticles : public testing::TestWithParam<std::tuple<bool, Mac>> {
 protected:
  void SetUp() override {
    CudaOptions options;
    options.device_walks = std::get<0>(GetParam());
    backend_ = backend_or_null(options);
    if (!backend_) GTEST_SKIP() << "no CUDA device";
    options_.mac = std::get<1>(GetParam());
  }
  /// With old accelerations, so that one evaluation is enough.
  [[nodiscard]] static ParticleStore particles(std::size_t n) {
    ParticleStore store = test::plummer(n);
    for (std::size_t i = 0; i < n; ++i) {
      store.id[i] = i;
      store.acceleration[i] = Vec3f(-1.0 * store.position[i]);
    }
    return store;
  }

  std::unique_ptr<ForceBackend> backend_;
  GravityOptions options_;
};

TEST_P(FedParticles, HaveTheForcesOfTheStore) {
  GravitySolver solver(options_, *backend_);
  // One piece, a few, the last of one particle only, many.
  for (const std::size_t n : {30000UL, 65536UL, 65537UL, 200001UL, 1000000UL}) {
    const ParticleStore given = particles(n);
    ParticleStore expected = given;
    solver.accelerate(expected, law);
    expected = test::in_order_of_ids(expected);
    test::StoreFeed feed(given);
    ParticleStore store = test::blank_store(n);
    ForceContext context;
    context.feed = &feed;
    for (int again = 0; again < 2; ++again) {
      feed.taken = 0;
      solver.accelerate(store, law, context);
      EXPECT_EQ(feed.taken, n);
      EXPECT_EQ(feed.results.acceleration, expected.acceleration) << n;
      EXPECT_EQ(feed.results.potential, expected.potential) << n;
    }
    EXPECT_TRUE(std::isnan(store.position[0].x));
    EXPECT_TRUE(std::ranges::is_sorted(store.id));
  }
}

TEST_P(FedParticles, CanFollowThoseThatWereRefused) {
  GravitySolver solver(options_, *backend_);
  const ParticleStore given = particles(300000);
  ParticleStore expected = given;
  solver.accelerate(expected, law);
  expected = test::in_order_of_ids(expected);
  ParticleStore store = test::blank_store(given.size());
  for (const auto unusable : {&test::StoreFeed::unusable_position, &test::StoreFeed::unusable_mass,
                              &test::StoreFeed::unusable_acceleration, &test::StoreFeed::unusable_position}) {
    if (unusable == &test::StoreFeed::unusable_acceleration && !options_.relative()) continue;  // nobody asks for them
    test::StoreFeed feed(given);
    ForceContext context;
    context.feed = &feed;
    feed.*unusable = true;
    EXPECT_THROW(solver.accelerate(store, law, context), InputError);
    feed.*unusable = false;
    solver.accelerate(store, law, context);
    EXPECT_EQ(feed.results.acceleration, expected.acceleration);
  }
}

TEST_P(FedParticles, GoToTheStoreIfTheDeviceIsTooFull) {
  CudaOptions small;
  small.device_walks = std::get<0>(GetParam());
  small.memory_limit = std::size_t{64} << 20;
  const auto backend = backend_or_null(small);
  const ParticleStore given = particles(1500000);
  test::StoreFeed feed(given);
  ParticleStore store = test::blank_store(given.size());
  ForceContext context;
  context.feed = &feed;
  // Positions and masses alone take 42 MB; sorting them does not fit. Whether the rest does, the store has the
  // particles.
  try {
    GravitySolver(options_, *backend).accelerate(store, law, context);
  } catch (const InputError&) {
  }
  EXPECT_EQ(feed.taken, 0U);
  const ParticleStore filled = test::in_order_of_ids(store);
  EXPECT_TRUE(std::ranges::equal(filled.position, given.position));
  EXPECT_TRUE(std::ranges::equal(filled.mass, given.mass));
}

INSTANTIATE_TEST_SUITE_P(Walks, FedParticles,
                         testing::Combine(testing::Bool(), testing::Values(Mac::barnes90, Mac::relative)));

}  // namespace
}  // namespace multiwalk::device_test
