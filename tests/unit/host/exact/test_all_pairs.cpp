// SPDX-License-Identifier: GPL-3.0-or-later
// A back end that is asked to sum over all particles.
#include <gtest/gtest.h>

#include "host/exact/all_pairs.hpp"
#include "host/exact/direct_sum.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

TEST(AllPairs, TheCpuSumsDirectly) {
  const auto backend = make_all_pairs_backend(make_simd_backend());
  EXPECT_EQ(backend->name(), "cpu");
  for (const std::uint32_t group_size : {0U, 30U, 1000U}) {
    ParticleStore store = test::plummer(1000);
    GravityOptions options;
    options.group_size = group_size;
    const PairLaw law{2, 0.02, MultipoleOrder::monopole};
    const ForceStatistics statistics = GravitySolver(options, *backend).accelerate(store, law);
    EXPECT_EQ(statistics.raw.particle_pairs, 1000U * 1000U);
    EXPECT_EQ(statistics.raw.cell_pairs, 0U);
    for (std::size_t i = 0; i < store.size(); i += 10) {
      const ForceSum<double> exact = direct_sum(store.position, store.mass, store.position[i], law.softening);
      const Vec3d a = law.gravitational_constant * Vec3d{exact.x, exact.y, exact.z};
      EXPECT_LT(norm(Vec3d(store.acceleration[i]) - a), 1e-4 * norm(a));
    }
  }
}

}  // namespace
}  // namespace multiwalk
