// SPDX-License-Identifier: GPL-3.0-or-later
// The long range by modes over ranks against that of one rank alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "decomposition/mesh/long_range_modes.hpp"
#include "tests/mpi/shared_models.hpp"
#include "tests/support/periodic_models.hpp"

namespace multiwalk {
namespace {

ParticleStore pulled(ParticleStore particles, const Communicator& comm) {
  std::ranges::fill(particles.acceleration, Vec3f{});
  std::ranges::fill(particles.potential, 0.0F);
  const PairLaw law{3, 0, MultipoleOrder::quadrupole, 1, {0.05, 0.3125}};
  LongRangeModes(balanced_reach(law.split, 1), comm).add(particles, law);
  return particles;
}

TEST(LongRangeModesOverRanks, AreThoseOfOneRank) {
  const ParticleStore all = test::clusters_at_faces(6000, 3);
  const ParticleStore expected = pulled(all, {});
  double size = 0;
  for (const Vec3f& a : expected.acceleration) size = std::max(size, double(norm(a)));
  const ParticleStore none = test::kept(all, [](std::uint32_t) { return world().rank() == world().size() - 1; });
  for (const ParticleStore& share : {test::share_of(all), none}) {
    const ParticleStore found = pulled(share, world());
    EXPECT_EQ(found.acceleration, pulled(share, world()).acceleration);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t same = found.id[i];
      ASSERT_EQ(all.id[same], found.id[i]);
      EXPECT_LT(norm(found.acceleration[i] - expected.acceleration[same]), 3e-7 * size);
      EXPECT_NEAR(found.potential[i] / expected.potential[same], 1, 3e-6);
    }
  }
}

}  // namespace
}  // namespace multiwalk
