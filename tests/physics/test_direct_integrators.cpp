// SPDX-License-Identifier: GPL-3.0-or-later
// Integrators of direct systems: the Kepler problem's errors and orders, and a small cluster.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "host/time/direct_integrator.hpp"
#include "ic/models/plummer.hpp"
#include "ic/models/two_body.hpp"
#include "tests/support/double_pairs.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk {
namespace {

struct KeplerCase {
  const char* name;
  DirectScheme scheme;
  int iterations;
  double expected[3];  ///< e = 0.5 with 500 and 1000 steps a period, e = 0.9 with 4000
  double order;
};

/// Largest |dE/E| over ten periods, read after every step.
double kepler_error(const KeplerCase& test, double eccentricity, int steps_per_period) {
  test::DoublePairs pairs;
  LocalForces forces(pairs);
  DirectOptions options;
  options.scheme = test.scheme;
  options.iterations = test.iterations;
  options.steps = DirectSteps::fixed;
  options.step = 2 * std::numbers::pi / steps_per_period;
  const auto orbit = make_direct_integrator(options, make_kepler_pair(eccentricity), {}, forces);
  const double before = test::energy(orbit->bodies(), 0);
  const double end = 20 * std::numbers::pi;
  double worst = 0;
  while (orbit->time() < end) {
    orbit->step(end);
    worst = larger_error(worst, std::fabs(test::energy(orbit->bodies(), 0) / before - 1));
  }
  EXPECT_EQ(orbit->counts().steps, 10 * static_cast<std::uint64_t>(steps_per_period));
  return worst;
}

class KeplerTable : public testing::TestWithParam<KeplerCase> {};

TEST_P(KeplerTable, HasTheKnownErrorsAndOrder) {
  const KeplerCase& test = GetParam();
  const double error[3] = {kepler_error(test, 0.5, 500), kepler_error(test, 0.5, 1000), kepler_error(test, 0.9, 4000)};
  const double order = std::log2(error[0] / error[1]);
  std::printf("%-12s %.2e %.2e %.2e order %.2f\n", test.name, error[0], error[1], error[2], order);
  for (int k = 0; k < 3; ++k) {
    EXPECT_LT(error[k], 1.5 * test.expected[k]);
    EXPECT_GT(error[k], test.expected[k] / 1.5);
  }
  EXPECT_NEAR(order, test.order, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Schemes, KeplerTable,
                         testing::Values(KeplerCase{"tv", DirectScheme::tv, 1, {1.77e-2, 8.8e-3, 1.7e-1}, 1},
                                         KeplerCase{
                                             "leapfrog", DirectScheme::leapfrog, 1, {4.2e-4, 1.05e-4, 5.8e-3}, 2},
                                         KeplerCase{"pec", DirectScheme::hermite, 1, {8.1e-7, 3.6e-8, 3.3e-5}, 4.5},
                                         KeplerCase{"pec2", DirectScheme::hermite, 2, {1.3e-7, 8.2e-9, 4.5e-6}, 4}),
                         [](const auto& test) { return test.param.name; });

/// |dE/E| of a cluster after four time units.
double cluster_error(DirectBackend& backend) {
  LocalForces forces(backend);
  DirectOptions options;
  options.softening = 1.0 / 64;
  options.max_step = 0.125;
  const auto cluster = make_direct_integrator(options, make_plummer_bodies(128, 3), {}, forces);
  const double before = test::energy(cluster->bodies(), options.softening);
  cluster->advance(4);
  const double error = std::fabs(test::energy(cluster->bodies(), options.softening) / before - 1);
  std::printf("Plummer 128, 4 time units: |dE/E| %.2e, %llu block steps, %llu body steps\n", error,
              static_cast<unsigned long long>(cluster->counts().steps),
              static_cast<unsigned long long>(cluster->counts().body_steps));
  return error;
}

TEST(DirectCluster, BlockStepsConserveEnergy) {
  test::DoublePairs pairs;
  EXPECT_LT(cluster_error(pairs), 5e-7);
  EXPECT_LT(cluster_error(*make_simd_direct_backend(1)), 5e-7);
}

}  // namespace
}  // namespace multiwalk
