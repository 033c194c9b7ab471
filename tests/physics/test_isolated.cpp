// SPDX-License-Identifier: GPL-3.0-or-later
// Newtonian systems: Plummer equilibrium, a Kepler orbit, cold collapse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "run/evolve/simulation.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk {
namespace {

double radius_of_fraction(const ParticleStore& store, double fraction) {
  std::vector<double> r;
  for (const Vec3d& p : store.position) r.push_back(norm(p));
  const auto at = r.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(r.size()));
  std::nth_element(r.begin(), at, r.end());
  return *at;
}

/// Energy is conserved to `most_error`, and the radii of 10, 50 and 90% of the mass to `most_change`, both relative.
void expect_equilibrium(std::uint64_t particles, double crossing_times, double most_error, double most_change) {
  Parameters parameters;
  parameters.model.kind = ModelKind::plummer;
  parameters.model.particles = particles;
  parameters.softening.softening = 0.02;
  parameters.force.mac = Mac::relative;
  parameters.force.alpha = 0.0005;
  parameters.time.eta = 1;
  parameters.time.max_dt = 0.02;
  const auto backend = make_simd_backend();
  Simulation simulation(parameters, make_model(parameters.model, parameters.ic, parameters.cosmology), *backend);
  simulation.start();
  const double before[3] = {radius_of_fraction(simulation.on_host().particles, 0.1),
                            radius_of_fraction(simulation.on_host().particles, 0.5),
                            radius_of_fraction(simulation.on_host().particles, 0.9)};
  const double end = crossing_times * 2 * std::numbers::sqrt2;  // Heggie & Mathieu units
  double worst = 0;
  while (simulation.time() < end) {
    simulation.step(std::min(end, simulation.next_time()));
    worst = larger_error(worst, simulation.energy_error());
  }
  std::printf("Plummer: %llu steps, max |dE/E| %.2e\n", static_cast<unsigned long long>(simulation.step_count()),
              worst);
  EXPECT_LT(worst, most_error);
  const double fraction[3] = {0.1, 0.5, 0.9};
  for (int k = 0; k < 3; ++k) {
    const double after = radius_of_fraction(simulation.on_host().particles, fraction[k]);
    std::printf("  radius of %.1f of the mass: %.4f of that at the start\n", fraction[k], after / before[k]);
    EXPECT_NEAR(after / before[k], 1, most_change) << fraction[k];
  }
}

TEST(Plummer, ConservesEnergyAndShapeOverTenCrossingTimes) {
  expect_equilibrium(16384, 10, 1e-4, 0.02);
}

TEST(Plummer, ConservesEnergyAndShapeOverACrossingTime) {
  expect_equilibrium(8192, 1, 1e-4, 0.03);
}

double kepler_error(double eccentricity, int steps_per_period) {
  Parameters parameters;
  parameters.model.kind = ModelKind::two_body;
  parameters.model.eccentricity = eccentricity;
  parameters.softening.softening = 0;
  const auto backend = make_reference_backend(true);
  Simulation simulation(parameters, make_model(parameters.model, parameters.ic, parameters.cosmology), *backend);
  simulation.start();
  const double dt = 2 * std::numbers::pi / steps_per_period;
  double worst = 0;
  for (int s = 1; s <= 10 * steps_per_period; ++s) {
    simulation.step(s * dt);
    worst = larger_error(worst, simulation.energy_error());
  }
  return worst;
}

TEST(Kepler, LeapfrogEnergyErrorAndOrder) {
  const double coarse = kepler_error(0.5, 500);
  const double fine = kepler_error(0.5, 1000);
  const double eccentric = kepler_error(0.9, 4000);
  std::printf("Kepler leapfrog: e 0.5: %.3e (500), %.3e (1000); e 0.9: %.3e (4000)\n", coarse, fine, eccentric);
  EXPECT_NEAR(coarse / 4.2e-4, 1, 0.05);
  EXPECT_NEAR(fine / 1.05e-4, 1, 0.08);
  EXPECT_NEAR(eccentric / 5.8e-3, 1, 0.1);
}

TEST(ColdSphere, CollapsesAtTheFreeFallTime) {
  Parameters parameters;
  parameters.model.kind = ModelKind::uniform;
  parameters.model.particles = 8000;
  parameters.model.radius = 1;
  parameters.softening.softening = 0.02;
  parameters.force.theta = 0.5;
  const auto backend = make_simd_backend();
  Simulation simulation(parameters, make_model(parameters.model, parameters.ic, parameters.cosmology), *backend);
  simulation.start();
  const double free_fall = std::numbers::pi / 2 * std::sqrt(0.5);
  double smallest = 1, when = 0;
  while (simulation.time() < 1.3 * free_fall) {
    simulation.step(simulation.next_time());
    const double r = radius_of_fraction(simulation.on_host().particles, 0.5);
    if (r < smallest) {
      smallest = r;
      when = simulation.time();
    }
  }
  std::printf("cold sphere: half-mass radius smallest (%.3f) at t = %.4f, free-fall time %.4f\n", smallest, when,
              free_fall);
  EXPECT_NEAR(when / free_fall, 1, 0.05);
  EXPECT_LT(smallest, 0.2);
}

}  // namespace
}  // namespace multiwalk
