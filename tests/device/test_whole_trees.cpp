// SPDX-License-Identifier: GPL-3.0-or-later
// Whole trees: CUDA and CPU back ends agree, judged by the sum of the magnitudes of all pulls.
#include <cstdio>

#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

/// A cuspy ball (density falling as r^-2) far from the origin.
ParticleStore cuspy_ball(std::size_t n) {
  std::mt19937_64 random(31);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  ParticleStore particles;
  particles.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d direction{normal(random), normal(random), normal(random)};
    particles.position[i] = Vec3d{50, -70, 20} + (unit(random) / norm(direction)) * direction;
    particles.mass[i] = static_cast<float>(1.0 / static_cast<double>(n));
    particles.id[i] = i;
  }
  return particles;
}

/// Sum of m/R^2 over all other particles.
double sum_of_magnitudes(const ParticleStore& particles, std::size_t i, double softening) {
  double sum = 0;
  for (std::size_t j = 0; j < particles.size(); ++j) {
    const double r2 = norm2(particles.position[j] - particles.position[i]), R2 = r2 + softening * softening;
    if (R2 > 0) sum += particles.mass[j] * std::sqrt(r2 / R2) / R2;
  }
  return sum;
}

struct WholeTreeCase {
  double theta, softening;
  Mac mac;
  MultipoleOrder order;
};

class WholeTrees : public testing::TestWithParam<WholeTreeCase> {};

TEST_P(WholeTrees, CpuAndCudaAgree) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const auto cpu = make_simd_backend();
  const WholeTreeCase c = GetParam();
  GravityOptions options;
  options.theta = c.theta;
  options.mac = c.mac;
  options.multipole = c.order;
  options.group_size = c.mac == Mac::bh86 ? 1 : 256;
  const PairLaw law{43.0, c.softening, c.order};
  ParticleStore a = cuspy_ball(40000), b = a;
  const ForceStatistics on_cpu = GravitySolver(options, *cpu).accelerate(a, law);
  const ForceStatistics on_cuda = GravitySolver(options, *cuda).accelerate(b, law);
  EXPECT_EQ(on_cpu.raw.particle_pairs, on_cuda.raw.particle_pairs);
  EXPECT_EQ(on_cpu.raw.cell_pairs, on_cuda.raw.cell_pairs);
  a = test::in_order_of_ids(std::move(a));
  b = test::in_order_of_ids(std::move(b));
  double worst = 0, worst_potential = 0;
  for (std::size_t i = 0; i < a.size(); i += 20) {
    const double difference = norm(static_cast<Vec3d>(a.acceleration[i]) - static_cast<Vec3d>(b.acceleration[i]));
    worst = larger_error(worst, difference / (law.gravitational_constant * sum_of_magnitudes(a, i, c.softening)));
    worst_potential = larger_error(worst_potential, std::fabs(double{a.potential[i]} - double{b.potential[i]}) /
                                                        std::fabs(double{a.potential[i]}));
  }
  std::printf("theta %g, softening %g: CPU and CUDA differ by %.2e (acceleration), %.2e (potential)\n", c.theta,
              c.softening, worst, worst_potential);
  EXPECT_LT(worst, 1e-5);  // of far cells on tensor cores: host/walk/walk_batch.hpp
  EXPECT_LT(worst_potential, 2e-6);
}

INSTANTIATE_TEST_SUITE_P(All, WholeTrees,
                         testing::Values(WholeTreeCase{0.3, 0.01, Mac::barnes90, MultipoleOrder::monopole},
                                         WholeTreeCase{0.6, 0.01, Mac::barnes90, MultipoleOrder::quadrupole},
                                         WholeTreeCase{0.6, 0, Mac::barnes90, MultipoleOrder::quadrupole},
                                         WholeTreeCase{0.75, 0, Mac::offset, MultipoleOrder::monopole},
                                         WholeTreeCase{0.7, 0.01, Mac::relative, MultipoleOrder::quadrupole},
                                         WholeTreeCase{0.7, 0.01, Mac::bh86, MultipoleOrder::monopole}));

}  // namespace
}  // namespace multiwalk::device_test
