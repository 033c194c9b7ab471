// SPDX-License-Identifier: GPL-3.0-or-later
// Density and power over ranks against those of one rank alone, bit for bit.
#include <gtest/gtest.h>

#include "analysis/power/power_spectrum.hpp"
#include "host/base/hash.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/mesh_models.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// Unequal masses in the unit box, some exactly on its faces.
ParticleStore box_with_faces(std::size_t n) {
  ParticleStore all = test::uniform_cube(n, 9);
  for (std::size_t i = 0; i + 3 < n; i += 50) {
    all.position[i].x = 0;
    all.position[i + 1].y = 1;
    all.position[i + 2] = {1, 0, 1};
    all.position[i + 3].x = 0.5;
  }
  return all;
}

/// Dealt out at random, or in slabs of z, which no pencil is.
ParticleStore share_of(const ParticleStore& all, bool slabs) {
  const auto ranks = static_cast<std::uint64_t>(world().size());
  return test::kept(all, [&](std::uint32_t i) {
    const auto slab = static_cast<std::uint64_t>(0.999 * all.position[i].z * static_cast<double>(ranks));
    return static_cast<int>(slabs ? slab : mix_bits(i) % ranks) == world().rank();
  });
}

TEST(PowerOverRanks, DensityIsThatOfOneRank) {
  const ParticleStore all = box_with_faces(4000);
  for (const bool slabs : {false, true}) {
    const ParticleStore mine = share_of(all, slabs);
    for (const std::uint32_t cells : {4U, 9U, 16U}) {
      for (const Assignment assignment : {Assignment::cic, Assignment::tsc, Assignment::pcs}) {
        const DensityOptions options{assignment, 1, 0.5, slabs ? 100U : 1000000U};
        const PencilMesh expected = density_mesh({all.position, all.mass, 1}, cells, options);
        const PencilMesh mesh = density_mesh({mine.position, mine.mass, 1}, cells, options, world());
        test_models::for_each_value(
            mesh, [&](auto x, auto y, auto z) { ASSERT_EQ(mesh.value(x, y, z), expected.value(x, y, z)); });
      }
    }
  }
}

TEST(PowerOverRanks, SpectrumIsThatOfOneRank) {
  const ParticleStore all = box_with_faces(20000);
  for (const bool interlacing : {false, true}) {
    const PowerOptions options{24, Assignment::pcs, interlacing, 2, true};
    const PowerSpectrum expected = measure_power({all.position, all.mass, 1}, options);
    for (const bool slabs : {false, true}) {
      const ParticleStore mine = share_of(all, slabs);
      const PowerSpectrum spectrum = measure_power({mine.position, mine.mass, 1}, options, world());
      EXPECT_EQ(spectrum.particles, all.size());
      EXPECT_EQ(spectrum.shot_noise, expected.shot_noise);
      ASSERT_EQ(spectrum.bins.size(), expected.bins.size());
      for (std::size_t i = 0; i < expected.bins.size(); ++i) {
        EXPECT_EQ(spectrum.bins[i].power, expected.bins[i].power) << i;
        EXPECT_EQ(spectrum.bins[i].k, expected.bins[i].k);
        EXPECT_EQ(spectrum.bins[i].sigma, expected.bins[i].sigma);
        EXPECT_EQ(spectrum.bins[i].modes, expected.bins[i].modes);
      }
    }
  }
}

/// All on the last rank, so that it sends what the others receive.
TEST(PowerOverRanks, OneRankMayHoldAll) {
  const ParticleStore all = box_with_faces(5000);
  const bool last = world().rank() == world().size() - 1;
  const ParticleStore mine = test::kept(all, [&](std::uint32_t) { return last; });
  const PowerSpectrum expected = measure_power({all.position, all.mass, 1}, {16});
  const PowerSpectrum spectrum = measure_power({mine.position, mine.mass, 1}, {16}, world());
  for (std::size_t i = 0; i < expected.bins.size(); ++i) EXPECT_EQ(spectrum.bins[i].power, expected.bins[i].power);
}

}  // namespace
}  // namespace multiwalk
