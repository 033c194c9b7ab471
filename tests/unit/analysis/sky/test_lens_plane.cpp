// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/sky/lens_plane.hpp"
#include "analysis/sky/light_path.hpp"
#include "analysis/sky/sky_spectrum.hpp"

namespace multiwalk {
namespace {

constexpr double plane_side = 80;

/// All slabs.
std::vector<ProjectedSlab> project(const std::vector<Vec3d>& position, const SlabOptions& options) {
  const std::vector<float> mass(position.size(), 3);
  const PeriodicParticles particles{position, mass, plane_side};
  std::vector<ProjectedSlab> slabs;
  project_slabs(particles, sum_masses(particles), options, {}, [&](std::uint32_t s, const ProjectedSlab& slab) {
    EXPECT_EQ(s, slabs.size());
    slabs.push_back(slab);
  });
  return slabs;
}

TEST(LensPlane, AParticleLiesInItsPixelsOnEveryAxis) {
  const Vec3d at{13.5, 42.5, 75};  // of pixels of 10: (0.85, 3.75, 7) from the first centre
  for (int normal = 0; normal < 3; ++normal) {
    const ProjectedSlab slab = project({at}, {8, Assignment::cic, normal, 1}).at(0);
    EXPECT_EQ(slab.particles, 1U);
    std::vector<double> expected(64);
    const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2;
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 8; ++j) {
        const auto share = [](double x, std::size_t pixel) {
          return std::fmax(0, 1 - std::fabs(x / 10 - 0.5 - static_cast<double>(pixel)));
        };
        expected[i * 8 + j] = 64 * share(at[first], i) * share(at[second], j);
      }
    }
    for (std::size_t k = 0; k < 64; ++k) EXPECT_NEAR(slab.density[k], expected[k], 1e-12) << normal << " " << k;
  }
}

TEST(LensPlane, SlabsHaveSharpBordersAndAllTheMass) {
  std::vector<Vec3d> position;
  for (int i = 0; i < 1000; ++i)
    position.push_back({std::fmod(i * 7.77, plane_side), std::fmod(i * 3.21, plane_side), i * 0.08});
  for (const Assignment assignment : {Assignment::cic, Assignment::tsc, Assignment::pcs}) {
    const std::vector<ProjectedSlab> slabs = project(position, {16, assignment, 2, 4});
    ASSERT_EQ(slabs.size(), 4U);
    for (const ProjectedSlab& slab : slabs) {
      const double mean = std::accumulate(slab.density.begin(), slab.density.end(), 0.0) / 256;
      EXPECT_NEAR(mean, 1, 1e-12);
      EXPECT_EQ(slab.particles, 250U);
    }
  }
  std::uint64_t particles = 0;
  for (const ProjectedSlab& slab : project(position, {16, Assignment::cic, 0, 4})) particles += slab.particles;
  EXPECT_EQ(particles, 1000U);
}

/// Slabs of more particles than a thread orders at a time add up to one slab that has all of them.
TEST(LensPlane, SlabsOfManyParticlesAddUp) {
  std::vector<Vec3d> position;
  for (int i = 0; i < 150000; ++i) {
    position.push_back(
        {std::fmod(i * 7.77, plane_side), std::fmod(i * 3.21, plane_side), std::fmod(i * 1.37, plane_side)});
  }
  const ProjectedSlab whole = project(position, {16, Assignment::tsc, 1, 1}).at(0);
  std::vector<double> sum(256);
  for (const ProjectedSlab& slab : project(position, {16, Assignment::tsc, 1, 8})) {
    EXPECT_NEAR(static_cast<double>(slab.particles), 150000 / 8.0, 100);
    for (std::size_t k = 0; k < 256; ++k) sum[k] += slab.density[k] / 8;
  }
  for (std::size_t k = 0; k < 256; ++k) EXPECT_NEAR(sum[k], whole.density[k], 1e-12 * whole.density[k]);
}

/// A thin slab has the convergence of a thin shell, for a source at a great distance.
TEST(LensPlane, ConvergenceIsThatOfAShell) {
  const Expansion expansion(CosmologyParameters{});
  const double distance = 900, thickness = 1, source = 1e9;
  const double shell = shell_convergence(expansion, distance - thickness / 2, distance + thickness / 2, source);
  EXPECT_NEAR(plane_convergence(expansion, distance, thickness, departure(expansion, distance)), shell, 1e-5 * shell);
}

}  // namespace
}  // namespace multiwalk
