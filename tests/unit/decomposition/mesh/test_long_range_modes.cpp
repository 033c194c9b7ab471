// SPDX-License-Identifier: GPL-3.0-or-later
// The long range by modes: with the short range Ewald's sum, for any instruction set and number of threads.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "decomposition/mesh/long_range_modes.hpp"
#include "host/base/error.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/periodic_models.hpp"
#include "tests/support/periodic_pairs.hpp"

namespace multiwalk {
namespace {

constexpr double widest_cutoff = 0.3125;  // the widest that one image a source allows

/// In a box of side 1.
PairLaw law_of(double cutoff_in_scales, double G = 1) {
  return {G, 0, MultipoleOrder::quadrupole, 1, {widest_cutoff / cutoff_in_scales, widest_cutoff}};
}

/// Its forces alone, for pairs at any distance.
ParticleStore pulled(ParticleStore particles, const PairLaw& law, double reach) {
  std::ranges::fill(particles.acceleration, Vec3f{});
  std::ranges::fill(particles.potential, 0.0F);
  PairLaw all_pairs = law;
  all_pairs.split.cutoff = 0;
  LongRangeModes(reach).add(particles, all_pairs);
  return particles;
}

/// A unit mass, or a massless particle, and others about it.
ParticleStore source_and_targets(Vec3d source) {
  ParticleStore particles = test::uniform_cube(300, 7);
  for (std::size_t i = 1; i < particles.size(); ++i) {
    particles.mass[i] = 0;
    const double nearer = i % 3 == 0 ? 1 : i % 3 == 1 ? 0.1 : 0.01;
    particles.position[i] = source + (particles.position[i] - Vec3d{0.5, 0.5, 0.5}) * nearer;
  }
  particles.position[0] = source;
  particles.mass[0] = 1;
  return particles;
}

struct Tail {
  double cutoff_in_scales, reach;  ///< reach 0: the balanced one
  double error;                    ///< of pull times rs^2 and potential times rs
};

TEST(LongRangeModes, PairsWithTheirShortRangeAreEwalds) {
  const double G = 3;
  for (const Tail& tail : {Tail{7, 20, 5e-8}, Tail{7, 0, 1e-6}, Tail{6.3, 0, 1e-5}, Tail{4.8, 0, 8e-4}}) {
    const PairLaw law = law_of(tail.cutoff_in_scales, G);
    const double rs = law.split.scale;
    const double reach = tail.reach > 0 ? tail.reach : balanced_reach(law.split, 1);
    const ParticleStore found = pulled(source_and_targets({0.31, 0.98, 0.02}), law, reach);
    EXPECT_LT(norm(found.acceleration[0]) * rs * rs, 1e-7) << "pulls itself";
    double worst = 0, worst_potential = 0;
    for (std::size_t i = 1; i < found.size(); ++i) {
      const Vec3d d = test_models::nearest_image(found.position[0] - found.position[i]);
      const test_models::PairPull near = test_models::short_range_pair(d, rs), truth = test_models::ewald_pair(d);
      const Vec3d far = truth.acceleration - near.acceleration;
      worst = larger_error(worst, norm(Vec3d(found.acceleration[i]) * (1 / G) - far) * rs * rs);
      worst_potential =
          larger_error(worst_potential, std::fabs(found.potential[i] / G - (truth.potential - near.potential)) * rs);
    }
    std::printf("cut-off %.1f rs, reach %.2f: %.1e %.1e\n", tail.cutoff_in_scales, reach, worst, worst_potential);
    EXPECT_LT(worst, tail.error);
    EXPECT_LT(worst_potential, tail.error);
  }
}

TEST(LongRangeModes, HalfABoxApartNothingPulls) {
  ParticleStore pair = test::store_at({{0.1, 0.2, 0.3}, {0.6, 0.2, 0.3}});
  for (const Vec3f& a : pulled(std::move(pair), law_of(7), 12).acceleration) EXPECT_LT(norm(a), 1e-12);
}

TEST(LongRangeModes, MomentumIsConserved) {
  const ParticleStore found = pulled(test::clusters_at_faces(5000), law_of(7), 12.5);
  EXPECT_LT(test::net_force(found.acceleration, found.mass), 1e-8);
}

TEST(LongRangeModes, AnyNumberOfThreadsGivesTheSameBits) {
  const ParticleStore particles = test::clusters_at_faces(20000);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const ParticleStore one = pulled(particles, law_of(6.3), 10);
  for (const int more : {2, 3}) {
    omp_set_num_threads(more);
    const ParticleStore many = pulled(particles, law_of(6.3), 10);
    EXPECT_EQ(many.acceleration, one.acceleration);
    EXPECT_EQ(many.potential, one.potential);
  }
  omp_set_num_threads(threads);
}

TEST(ModeSet, IsTheSameOfAnyInstructionSetWhateverThePeriod) {
  const ParticleStore particles = test::clusters_at_faces(700);
  std::vector<Vec3d> moved(particles.position.begin(), particles.position.end());
  for (Vec3d& x : moved) x = x * 2.0 + Vec3d{4, -2, 6};
  const ModeSet portable(9.3, simd_kernels("portable"));
  const std::vector<double> sums = portable.sums({particles.position, particles.mass, 1});
  std::vector<Vec3f> acceleration(700), others(700);
  std::vector<float> potential(700), other_potential(700);
  portable.add_field(sums, particles.position, 1, acceleration, potential);
  for (const SimdKernels* kernels : available_simd_kernels()) {
    const ModeSet modes(9.3, *kernels);
    const std::vector<double> same = modes.sums({moved, particles.mass, 2});
    for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_NEAR(same[k], sums[k], 1e-12) << kernels->name;
    std::ranges::fill(others, Vec3f{});
    std::ranges::fill(other_potential, 0.0F);
    modes.add_field(sums, moved, 2, others, other_potential);
    for (std::size_t i = 0; i < 700; ++i) {
      EXPECT_LT(norm(2.0F * others[i] - acceleration[i]), 1e-6F * norm(acceleration[i])) << kernels->name;
      EXPECT_NEAR(other_potential[i] / potential[i], 1, 1e-6) << kernels->name;
    }
  }
}

TEST(ModeSet, CountsItsModes) {
  EXPECT_EQ(ModeSet(1).modes(), 3U);
  EXPECT_EQ(ModeSet(1.5).modes(), 9U);
  EXPECT_EQ(ModeSet(2).modes(), 16U);
  EXPECT_THROW(ModeSet(0.5), InputError);
  EXPECT_THROW(ModeSet(65), InputError);
}

}  // namespace
}  // namespace multiwalk
