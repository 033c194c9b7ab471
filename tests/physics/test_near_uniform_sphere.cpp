// SPDX-License-Identifier: GPL-3.0-or-later
// Jittered lattice sphere: nearly cancelling forces, total and peculiar errors.
#include <gtest/gtest.h>

#include <cstdio>

#include "analysis/forces/force_error.hpp"
#include "host/base/units.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "ic/models/model.hpp"

namespace multiwalk {
namespace {

ForceError measure(double parameter, MultipoleOrder order, std::uint32_t grid, Mac mac = Mac::barnes90) {
  ModelOptions model;
  model.kind = ModelKind::hubble_lattice;
  model.jitter = 0.1;
  IcOptions ic;
  ic.grid = grid;
  CosmologyParameters cosmology;
  ParticleSystem system = make_model(model, ic, cosmology);
  GravityOptions options;
  options.theta = mac == Mac::relative ? 0.6 : parameter;
  options.alpha = parameter;
  options.mac = mac;
  options.multipole = order;
  options.group_size = 512;
  options.leaf_size = 1;
  const auto backend = make_simd_backend();
  GravitySolver solver(options, *backend);
  const PairLaw law{units::gravitational_constant, 0, order};
  const double background = 0.5 * cosmology.omega_m * units::hubble_100 * units::hubble_100;
  solver.accelerate(system.particles, law, {.background = background});
  const ForceError error = measure_force_error(system.particles, law, {5000}, background);
  std::printf("lattice N %zu theta or alpha %.3f %-10s total %.2e / %.2e / %.2e  peculiar %.2e / %.2e / %.2e\n",
              system.particles.size(), parameter, order == MultipoleOrder::monopole ? "monopole" : "quadrupole",
              error.total.median, error.total.p99, error.total.max, error.peculiar.median, error.peculiar.p99,
              error.peculiar.max);
  return error;
}

// N = 144k: quadrupole medians of the reference 2.0e-5, 1.5e-4, 8.4e-4; monopoles are 25 to 40 times worse at theta <=
// 0.5.
TEST(NearUniformSphere, QuadrupolesReachTheReferenceAndGainOverMonopoles) {
  const double theta[3] = {0.3, 0.5, 0.75};
  const double median[3] = {2.0e-5, 1.5e-4, 8.4e-4};
  for (int t = 0; t < 3; ++t) {
    const ForceError quad = measure(theta[t], MultipoleOrder::quadrupole, 65);
    const ForceError mono = measure(theta[t], MultipoleOrder::monopole, 65);
    EXPECT_LT(quad.total.median, 1.5 * median[t]);
    EXPECT_GT(quad.total.median, median[t] / 1.5);
    EXPECT_GT(mono.total.median, (t < 2 ? 15 : 4) * quad.total.median);
    EXPECT_GT(quad.peculiar.median, quad.total.median);
  }
}

// On a nearly perfect lattice the peculiar pull is 1/200 of the total one: only the relative criterion sees that.
TEST(NearUniformSphere, RelativeCriterionBoundsThePeculiarError) {
  const ForceError tight = measure(0.01, MultipoleOrder::quadrupole, 40, Mac::relative);
  const ForceError loose = measure(0.05, MultipoleOrder::quadrupole, 40, Mac::relative);
  const ForceError barnes = measure(0.5, MultipoleOrder::quadrupole, 40);
  const ForceError offset = measure(0.5, MultipoleOrder::quadrupole, 40, Mac::offset);
  EXPECT_LT(tight.peculiar.median, 2e-3);
  EXPECT_LT(tight.peculiar.median, loose.peculiar.median);
  EXPECT_LT(loose.peculiar.median, 0.5 * barnes.peculiar.median);
  EXPECT_LT(offset.total.median, barnes.total.median);
}

}  // namespace
}  // namespace multiwalk
