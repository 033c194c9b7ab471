// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range force over ranks against that of one rank alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "decomposition/mesh/mesh_force.hpp"
#include "host/base/error.hpp"
#include "host/base/hash.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// Dealt out at random, in slabs of z, or all to the last rank.
enum class Dealing { random, slabs, last };

std::vector<std::uint32_t> share_of(const ParticleStore& all, Dealing dealing) {
  const int ranks = world().size();
  std::vector<std::uint32_t> mine;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const int owner = dealing == Dealing::random  ? static_cast<int>(mix_bits(i) % static_cast<unsigned>(ranks))
                      : dealing == Dealing::slabs ? static_cast<int>(0.999 * all.position[i].z * ranks)
                                                  : ranks - 1;
    if (owner == world().rank()) mine.push_back(i);
  }
  return mine;
}

struct Forces {
  std::vector<Vec3f> acceleration;
  std::vector<float> potential;
};

Forces forces_of(const ParticleStore& store, const MeshForceOptions& options, const Communicator& comm) {
  Forces out{std::vector<Vec3f>(store.size()), std::vector<float>(store.size())};
  mesh_force({store.position, store.mass, 1}, 3, options, out.acceleration, out.potential, comm);
  return out;
}

TEST(MeshForceOverRanks, IsThatOfOneRank) {
  ParticleStore all = test::uniform_cube(4000, 9);
  for (std::size_t i = 0; i < all.size(); i += 100) all.position[i].x = i % 200 == 0 ? 0 : 1;
  for (const Assignment assignment : {Assignment::cic, Assignment::tsc, Assignment::pcs}) {
    for (const bool interlacing : {false, true}) {
      MeshForceOptions options{17, 0.07, assignment, interlacing};
      const Forces expected = forces_of(all, options, {});
      double size = 0;
      for (const Vec3f& a : expected.acceleration) size = std::max(size, double(norm(a)));
      for (const Dealing dealing : {Dealing::random, Dealing::slabs, Dealing::last}) {
        const std::vector<std::uint32_t> mine = share_of(all, dealing);
        const ParticleStore share =
            test::kept(all, [&](std::uint32_t i) { return std::ranges::binary_search(mine, i); });
        options.in_flight = dealing == Dealing::slabs ? 100 : 1000000;
        const Forces found = forces_of(share, options, world());
        const Forces again = forces_of(share, options, world());
        EXPECT_EQ(found.acceleration, again.acceleration);
        EXPECT_EQ(found.potential, again.potential);
        for (std::size_t i = 0; i < mine.size(); ++i) {
          EXPECT_LT(norm(found.acceleration[i] - expected.acceleration[mine[i]]), 5e-7 * size);
          EXPECT_NEAR(found.potential[i] / expected.potential[mine[i]], 1, 5e-7);
        }
      }
    }
  }
}

/// Only the last rank wants potentials: all take part.
TEST(MeshForceOverRanks, OneRankMayWantPotentials) {
  const ParticleStore all = test::uniform_cube(500, 4);
  const MeshForceOptions options{8, 0.2};
  const Forces expected = forces_of(all, options, {});
  const std::vector<std::uint32_t> mine = share_of(all, Dealing::random);
  const ParticleStore share = test::kept(all, [&](std::uint32_t i) { return std::ranges::binary_search(mine, i); });
  std::vector<Vec3f> acceleration(share.size());
  std::vector<float> potential(world().rank() == world().size() - 1 ? share.size() : 0);
  mesh_force({share.position, share.mass, 1}, 3, options, acceleration, potential, world());
  for (std::size_t i = 0; i < potential.size(); ++i) EXPECT_NEAR(potential[i] / expected.potential[mine[i]], 1, 5e-7);
}

}  // namespace
}  // namespace multiwalk
