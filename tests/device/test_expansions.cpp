// SPDX-License-Identifier: GPL-3.0-or-later
// Local expansions on the device against those of the CPU, for the same lists: few particles, of which the host grows
// the tree for both.
#include <cstdio>

#include "host/force/gravity_solver.hpp"
#include "host/force/simd_backend.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

struct Expanded {
  ParticleStore store;
  RawCount raw;
};

Expanded expanded(ForceBackend& backend, ParticleStore store, int order, const PairLaw& law) {
  GravityOptions options;
  options.theta = 0.6;
  options.group_size = 100;
  options.expansion = order;
  const RawCount raw = GravitySolver(options, backend).accelerate(store, law).raw;
  return {std::move(store), raw};
}

void expect_the_cpus(ForceBackend& cuda, const ParticleStore& particles, int order, const PairLaw& law) {
  const auto cpu = make_simd_backend();
  const Expanded host = expanded(*cpu, particles, order, law), device = expanded(cuda, particles, order, law);
  EXPECT_GT(host.raw.expansions, 0U);
  EXPECT_EQ(host.raw.expansions, device.raw.expansions);
  EXPECT_EQ(host.raw.total(), device.raw.total());
  double worst = 0, worst_potential = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    ASSERT_EQ(host.store.id[i], device.store.id[i]);
    const Vec3d truth(host.store.acceleration[i]);
    worst = larger_error(worst, norm(Vec3d(device.store.acceleration[i]) - truth) / norm(truth));
    worst_potential =
        larger_error(worst_potential, std::fabs(device.store.potential[i] / host.store.potential[i] - 1.0));
  }
  std::printf("order %d, softening %g: device and CPU differ by %.1e, potentials by %.1e\n", order, law.softening,
              worst, worst_potential);
  EXPECT_LT(worst, 1e-4);
  EXPECT_LT(worst_potential, 2e-6);
}

class ExpansionOrders : public testing::TestWithParam<int> {};

TEST_P(ExpansionOrders, AreTheCpus) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  for (const double softening : {0.0, 0.02}) {
    expect_the_cpus(*cuda, test::plummer(15000), GetParam(), {43.0, softening, MultipoleOrder::quadrupole});
  }
}

/// Lengths and masses of other units, which powers of distances would take out of the range of single precision.
TEST_P(ExpansionOrders, HoldInAnyUnits) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  for (const double unit : {1e-3, 1e3}) {
    ParticleStore particles = test::plummer(15000);
    for (Vec3d& x : particles.position) x = unit * x;
    expect_the_cpus(*cuda, particles, GetParam(), {1.0, 0.01 * unit, MultipoleOrder::quadrupole});
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExpansionOrders, testing::Range(3, 7));

TEST(Expansions, AreForQuadrupolesAndWholeForces) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  EXPECT_TRUE(cuda->expands({1, 0.1, MultipoleOrder::quadrupole}));
  EXPECT_FALSE(cuda->expands({1, 0.1, MultipoleOrder::monopole}));
  EXPECT_FALSE(cuda->expands({1, 0.1, MultipoleOrder::quadrupole, 1, {0.02, 0.1}}));
}

}  // namespace
}  // namespace multiwalk::device_test
