// SPDX-License-Identifier: GPL-3.0-or-later
// Local expansions on the device against those of the CPU, for the same lists: few particles, of which the host grows
// the tree for both.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/forces/force_error.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_models.hpp"

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
  double worst = 0, worst_potential = 0, squares = 0, potential_squares = 0;
  const auto n = static_cast<double>(particles.size());
  for (const Vec3f a : host.store.acceleration) squares += norm2(Vec3d(a)) / n;
  for (const float phi : host.store.potential)
    potential_squares += static_cast<double>(phi) * static_cast<double>(phi) / n;
  // In a box terms cancel; errors are not compared with the little that is left of them.
  const double share = law.box_size > 0 ? 0.1 : 0;
  const double least = share * std::sqrt(squares), least_potential = share * std::sqrt(potential_squares);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    ASSERT_EQ(host.store.id[i], device.store.id[i]);
    const Vec3d truth(host.store.acceleration[i]);
    worst = larger_error(worst, norm(Vec3d(device.store.acceleration[i]) - truth) / std::max(norm(truth), least));
    const double potential = host.store.potential[i];
    worst_potential = larger_error(worst_potential, std::fabs(device.store.potential[i] - potential) /
                                                        std::max(std::fabs(potential), least_potential));
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

/// The short-range force in a periodic box, softened or not, with cells beyond the faces.
TEST_P(ExpansionOrders, AreTheCpusInAPeriodicBox) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  for (const double softening : {0.0, 0.002}) {
    expect_the_cpus(*cuda, test::clusters_at_faces(8000), GetParam(),
                    {43.0, softening, MultipoleOrder::quadrupole, 1, {0.05, 0.25}});
  }
}

TEST(Expansions, AreForQuadrupoles) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  EXPECT_TRUE(cuda->expands({1, 0.1, MultipoleOrder::quadrupole}));
  EXPECT_TRUE(cuda->expands({1, 0.1, MultipoleOrder::quadrupole, 1, {0.02, 0.1}}));
  EXPECT_FALSE(cuda->expands({1, 0.1, MultipoleOrder::monopole}));
}

/// Expansions add little to the errors of forces, compared with the walk without them, per order and criterion.
struct ErrorCase {
  Mac mac;
  double parameter;  ///< theta or alpha
  double softening;
};

ErrorPercentiles errors_of(ForceBackend& cuda, const ErrorCase& c, int order, ParticleStore store) {
  GravityOptions options;
  options.mac = c.mac;
  (c.mac == Mac::relative ? options.alpha : options.theta) = c.parameter;
  options.group_size = 64;
  options.expansion = order;
  const PairLaw law{1, c.softening, MultipoleOrder::quadrupole};
  GravitySolver solver(options, cuda);
  if (c.mac == Mac::relative) solver.accelerate(store, law);
  solver.accelerate(store, law);
  return measure_force_error(store, law, {2000}).total;
}

TEST(Expansions, AddLittleToTheErrorsOfTheWalk) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const ParticleStore particles = test::plummer(40000);
  for (const ErrorCase& c : {ErrorCase{Mac::relative, 0.005, 0.01}, ErrorCase{Mac::relative, 0.0005, 0},
                             ErrorCase{Mac::barnes90, 0.6, 0.01}, ErrorCase{Mac::offset, 0.6, 0}}) {
    const ErrorPercentiles plain = errors_of(*cuda, c, 0, particles);
    for (const int order : {3, 4, 5, 6}) {
      const ErrorPercentiles with = errors_of(*cuda, c, order, particles);
      std::printf("%s %g, softening %g, order %d: median %.2e (%.2e), 99%% %.2e (%.2e)\n",
                  mac_words[static_cast<std::size_t>(c.mac)].name.data(), c.parameter, c.softening, order, with.median,
                  plain.median, with.p99, plain.p99);
      EXPECT_LT(with.median, 1.08 * plain.median);
      EXPECT_LT(with.p99, 1.12 * plain.p99);
    }
  }
}

}  // namespace
}  // namespace multiwalk::device_test
