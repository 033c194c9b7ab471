// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on some of the particles only, those of deep rungs.
#include <algorithm>
#include <cmath>

#include "host/force/simd_backend.hpp"
#include "tests/support/active_targets.hpp"

namespace multiwalk {
namespace {

TEST(ActiveTargets, GetTheirForcesAndNothingElseChanges) {
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative, Mac::bh86}) {
    test::expect_only_the_active(*make_simd_backend(), mac, 0.05, 6000, true);
  }
}

/// Moves each particle by a different distance, so that the order of keys changes.
void stir(ParticleStore& store) {
  for (std::size_t i = 0; i < store.size(); ++i) {
    const auto phase = static_cast<double>(store.id[i]);
    store.position[i] += 0.1 * Vec3d{std::sin(3 * phase), std::sin(5 * phase), std::sin(7 * phase)};
  }
}

constexpr PairLaw softened_law{1, 0.01, MultipoleOrder::quadrupole};

GravityOptions criterion_options(Mac mac) {
  GravityOptions options;
  options.mac = mac;
  options.alpha = 0.001;
  return options;
}

/// Particles on rungs with forces, moved since.
ParticleStore stirred_store(GravitySolver& solver) {
  ParticleStore store = test::on_rungs(6000, 0.05);
  solver.accelerate(store, softened_law);
  stir(store);
  return store;
}

/// Forces on a few particles leave the order of the store unchanged, and equal those from a store in key order bit for
/// bit.
TEST(ActiveTargets, LeaveTheStoreInItsOrder) {
  const auto backend = make_simd_backend();
  for (const Mac mac : {Mac::barnes90, Mac::relative}) {
    GravitySolver solver(criterion_options(mac), *backend, 1);
    ParticleStore store = stirred_store(solver);
    for (Vec3f& g : store.long_range) g = {0.25F, 0, 0};
    ParticleStore sorted = store;
    sort_by_key(sorted, enclosing_cube(bounding_box(sorted.position)));
    ASSERT_NE(sorted.id, store.id);
    const ParticleArray<std::uint64_t> order = store.id;
    solver.accelerate(store, softened_law, {.least_rung = 3});
    EXPECT_EQ(store.id, order);
    solver.accelerate(sorted, softened_law, {.least_rung = 3});
    const ParticleStore a = test::in_order_of_ids(store), b = test::in_order_of_ids(sorted);
    EXPECT_EQ(a.acceleration, b.acceleration);
    EXPECT_EQ(a.potential, b.potential);
    EXPECT_EQ(a.work, b.work);
  }
}

/// Arrays that are overwritten need not be reordered: results do not depend on their old contents. Old accelerations,
/// which the relative criterion reads, are reordered.
TEST(ActiveTargets, ResultsOfAllDoNotDependOnOldOnes) {
  const auto backend = make_simd_backend();
  for (const Mac mac : {Mac::barnes90, Mac::relative}) {
    GravitySolver solver(criterion_options(mac), *backend, 1);
    ParticleStore store = stirred_store(solver);
    ParticleStore sorted = store;
    sort_by_key(sorted, enclosing_cube(bounding_box(sorted.position)));
    std::ranges::fill(sorted.potential, 7.0F);
    std::ranges::fill(sorted.work, 7.0F);
    solver.accelerate(store, softened_law);
    solver.accelerate(sorted, softened_law);
    EXPECT_EQ(store.id, sorted.id);
    EXPECT_EQ(store.acceleration, sorted.acceleration);
    EXPECT_EQ(store.potential, sorted.potential);
    EXPECT_EQ(store.work, sorted.work);
    EXPECT_EQ(store.velocity, sorted.velocity);
    EXPECT_EQ(store.rung, sorted.rung);
  }
}

TEST(ActiveTargets, MayBeAllOrNone) {
  const auto backend = make_simd_backend();
  GravitySolver solver(GravityOptions{}, *backend);
  ParticleStore store = test::plummer(3000);
  store.set_rungs(true);
  solver.accelerate(store, softened_law);
  ParticleStore none = store;
  EXPECT_EQ(solver.accelerate(none, softened_law, {.least_rung = 1}).raw.total(), 0U);
  EXPECT_EQ(none.acceleration, store.acceleration);
  std::ranges::fill(store.rung, std::uint8_t{2});
  const ParticleArray<Vec3f> before = store.acceleration;
  std::ranges::fill(store.acceleration, Vec3f{});
  const std::uint64_t whole = solver.accelerate(none, softened_law).raw.total();
  EXPECT_EQ(solver.accelerate(store, softened_law, {.least_rung = 2}).raw.total(), whole);
  EXPECT_EQ(store.acceleration, before);
}

}  // namespace
}  // namespace multiwalk
