// SPDX-License-Identifier: GPL-3.0-or-later
// Every CPU back end and instruction set against the double-precision one.
#include <gtest/gtest.h>

#include <string>

#include "host/exact/direct_sum.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/backend_suite.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk {
namespace {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const SimdKernels* kernels : available_simd_kernels()) names.emplace_back(kernels->name);
  return names;
}

class CpuBackend : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<ForceBackend> backend_ = make_simd_backend(GetParam());
};

TEST_P(CpuBackend, AgreesOnRandomWalks) {
  for (const MultipoleOrder order : {MultipoleOrder::monopole, MultipoleOrder::quadrupole}) {
    for (const double softening : {0.0, 0.02}) {
      for (const std::uint32_t group_size : {1U, 7U, 64U, 300U}) {
        const test::RandomWalks walks = test::random_walks(600, group_size, group_size);
        test::expect_agreement(*backend_, walks, {43.0, softening, order}, 3, 2, 2e-6);
      }
    }
  }
}

TEST_P(CpuBackend, AccumulatesOverSourceTrees) {
  const test::RandomWalks walks = test::random_walks(200, 32, 5);
  const PairLaw law{1, 0.05, MultipoleOrder::quadrupole};
  test::Forces once(200), twice(200);
  test::evaluate(*backend_, walks, law, once.view(walks.store), 1, 1);
  TargetView targets = twice.view(walks.store);
  test::evaluate(*backend_, walks, law, targets, 1, 1);
  targets.accumulate = true;
  test::evaluate(*backend_, walks, law, targets, 1, 1);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_FLOAT_EQ(twice.acceleration[i].x, 2 * once.acceleration[i].x);
    EXPECT_FLOAT_EQ(twice.potential[i], 2 * once.potential[i]);
  }
}

TEST_P(CpuBackend, OneInteractionIsRightToOnePartInAMillion) {
  const SimdKernels& kernels = simd_kernels(GetParam());
  alignas(64) float column[4][16];
  PackedSources packed{};
  for (int k = 0; k < 4; ++k) packed.particle[k] = column[k];
  packed.particles = static_cast<std::size_t>(kernels.width);
  double worst = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    for (auto& values : column) std::fill(values, values + 16, 0.0F);
    const float r = std::pow(10.0F, -4 + 8 * static_cast<float>(trial) / 20000);
    column[0][0] = r;
    column[3][0] = 1;
    for (int lane = 1; lane < 16; ++lane) column[0][lane] = 1e10F;
    const Vec3d target{0, 0, 0};
    ForceSum<double> sum;
    kernels.evaluate(packed, {&target, 1, {0, 0, 0}}, {0, false, nullptr}, &sum);
    const auto exact = static_cast<double>(r);
    worst = larger_error(worst, std::fabs(sum.x * exact * exact - 1));
    worst = larger_error(worst, std::fabs(sum.potential * exact - 1));
  }
  EXPECT_LT(worst, 1e-6);
}

TEST_P(CpuBackend, CoincidentParticlesFeelNoForceWithoutSoftening) {
  ParticleStore store = test::uniform_cube(3);
  store.position[1] = store.position[0];
  GravitySolver solver(GravityOptions{}, *backend_);
  solver.accelerate(store, PairLaw{1, 0, MultipoleOrder::quadrupole});
  for (std::size_t i = 0; i < 3; ++i) {
    const ForceSum<double> exact = direct_sum(store.position, store.mass, store.position[i], 0);
    EXPECT_NEAR(store.acceleration[i].x, exact.x, 1e-6 * std::fabs(exact.x));
    EXPECT_NEAR(store.potential[i], -exact.potential, 1e-6 * exact.potential);
  }
}

TEST_P(CpuBackend, ATinySofteningCountsAsNone) {
  for (const double softening : {1e-20, 1e-15, 1e-12, 1e-10}) {
    ParticleStore store = test::uniform_cube(100);
    GravitySolver solver(GravityOptions{}, *backend_);
    solver.accelerate(store, PairLaw{1, softening, MultipoleOrder::quadrupole});
    for (std::size_t i = 0; i < store.size(); ++i) {
      ASSERT_TRUE(std::isfinite(norm2(store.acceleration[i])) && std::isfinite(store.potential[i])) << softening;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, CpuBackend, testing::ValuesIn(instruction_sets()),
                         [](const auto& instance) { return instance.param; });

TEST(GravitySolver, FirstRelativeEvaluationCountsTheOneItStartsFrom) {
  ParticleStore store = test::plummer(2000);
  const auto backend = make_simd_backend();
  GravityOptions options;
  options.mac = Mac::relative;
  options.theta = 0.7;
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  GravitySolver solver(options, *backend);
  const std::uint64_t first = solver.accelerate(store, law).raw.total();
  ParticleStore again = test::plummer(2000);
  options.mac = Mac::barnes90;
  GravitySolver barnes(options, *backend);
  const std::uint64_t start = barnes.accelerate(again, law).raw.total();
  EXPECT_EQ(first, start + solver.accelerate(again, law).raw.total());
}

TEST(GravitySolver, WorksForOneTwoAndThreeParticles) {
  const auto backend = make_simd_backend();
  GravitySolver solver(GravityOptions{}, *backend);
  for (std::size_t n : {0UL, 1UL, 2UL, 3UL}) {
    ParticleStore store = test::uniform_cube(n);
    solver.accelerate(store, PairLaw{1, 0.1, MultipoleOrder::quadrupole});
    for (std::size_t i = 0; i < n; ++i) {
      const ForceSum<double> exact = direct_sum(store.position, store.mass, store.position[i], 0.1);
      EXPECT_NEAR(store.acceleration[i].y, exact.y, 2e-6 * (std::fabs(exact.y) + 0.1));
    }
  }
}

TEST(GravitySolver, TenThousandCoincidentParticles) {
  ParticleStore store = test::uniform_cube(10500);
  for (std::size_t i = 0; i < 10000; ++i) store.position[i] = {0.7, 0.2, 0.4};
  const auto backend = make_simd_backend();
  GravityOptions options;
  options.theta = 0.4;
  GravitySolver solver(options, *backend);
  solver.accelerate(store, PairLaw{1, 0.001, MultipoleOrder::quadrupole});
  for (std::size_t i = 0; i < store.size(); i += 97) {
    const ForceSum<double> exact = direct_sum(store.position, store.mass, store.position[i], 0.001);
    const Vec3d a{exact.x, exact.y, exact.z};
    EXPECT_LT(norm(Vec3d(store.acceleration[i]) - a), 2e-3 * norm(a) + 1e-3);
  }
}

TEST(GravitySolver, DoesNotDependOnTheThreadCount) {
  ParticleArray<Vec3f> reference;
  const auto backend = make_simd_backend();
  for (int threads : {1, 2, 3}) {
    ParticleStore store = test::plummer(5000);
    GravitySolver solver(GravityOptions{}, *backend, threads);
    solver.accelerate(store, PairLaw{1, 0.01, MultipoleOrder::quadrupole});
    if (reference.empty()) reference = store.acceleration;
    EXPECT_TRUE(reference == store.acceleration);
  }
}

TEST(GravitySolver, LargeOffsetsDoNotSpoilSmallSeparations) {
  ParticleStore near = test::plummer(2000), far = near;
  for (Vec3d& p : far.position) p += Vec3d{1e6, -2e6, 3e6};
  const auto backend = make_simd_backend();
  GravitySolver solver(GravityOptions{}, *backend);
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  solver.accelerate(near, law);
  solver.accelerate(far, law);
  std::vector<Vec3f> by_id(2000);
  for (std::size_t i = 0; i < 2000; ++i) by_id[near.id[i]] = near.acceleration[i];
  for (std::size_t i = 0; i < 2000; ++i) {
    const Vec3d a(by_id[far.id[i]]);
    // The offset rounds positions to 5e-10 and may move cell boundaries; the tree error remains.
    EXPECT_LT(norm(Vec3d(far.acceleration[i]) - a), 1e-2 * norm(a));
  }
}

}  // namespace
}  // namespace multiwalk
