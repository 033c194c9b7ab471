// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on some of the particles only, those of deep rungs.
#include <algorithm>

#include "host/force/simd_backend.hpp"
#include "tests/support/active_targets.hpp"

namespace multiwalk {
namespace {

TEST(ActiveTargets, GetTheirForcesAndNothingElseChanges) {
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative, Mac::bh86}) {
    test::expect_only_the_active(*make_simd_backend(), mac, 0.05, 6000, true);
  }
}

TEST(ActiveTargets, MayBeAllOrNone) {
  const auto backend = make_simd_backend();
  GravitySolver solver(GravityOptions{}, *backend);
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  ParticleStore store = test::plummer(3000);
  store.set_rungs(true);
  solver.accelerate(store, law);
  ParticleStore none = store;
  EXPECT_EQ(solver.accelerate(none, law, {.least_rung = 1}).raw.total(), 0U);
  EXPECT_EQ(none.acceleration, store.acceleration);
  std::ranges::fill(store.rung, std::uint8_t{2});
  const ParticleArray<Vec3f> before = store.acceleration;
  std::ranges::fill(store.acceleration, Vec3f{});
  const std::uint64_t whole = solver.accelerate(none, law).raw.total();
  EXPECT_EQ(solver.accelerate(store, law, {.least_rung = 2}).raw.total(), whole);
  EXPECT_EQ(store.acceleration, before);
}

}  // namespace
}  // namespace multiwalk
