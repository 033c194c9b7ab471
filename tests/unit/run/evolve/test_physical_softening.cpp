// SPDX-License-Identifier: GPL-3.0-or-later
// A softening with a physical cap, in pulls, potentials and steps: two bodies by the formula, as a run goes on.
#include <gtest/gtest.h>

#include <cmath>

#include "host/base/units.hpp"
#include "host/force/simd_backend.hpp"
#include "run/evolve/simulation.hpp"

namespace multiwalk {
namespace {

constexpr double apart = 0.03, heavy = 40, light = 1e-6;  // Mpc/h, internal masses

/// At rest in an expanding universe: a heavy body at the origin, and a light one.
ParticleSystem heavy_and_light(double a) {
  ParticleSystem system;
  system.time = a;
  ParticleStore& p = system.particles;
  p.resize(2);
  p.position = {{0, 0, 0}, {apart, 0, 0}};
  p.mass = {static_cast<float>(heavy), static_cast<float>(light)};
  p.id = {0, 1};
  return system;
}

Parameters capped_at(double physical) {
  Parameters parameters;
  parameters.cosmology.omega_m = 1, parameters.cosmology.omega_lambda = 0;
  parameters.softening.softening = 40;  // kpc/h
  parameters.softening.softening_max_physical = physical;
  parameters.time.steps = Steps::global;
  parameters.time.max_dlna = 10;
  return parameters;
}

/// `softening`: comoving, Mpc/h, as it should be now.
void expect_softened(const Simulation& simulation, double softening) {
  const double square = apart * apart + softening * softening, G = units::gravitational_constant;
  const double pull = G * heavy * apart / (square * std::sqrt(square));
  const ParticleStore& p = simulation.on_host().particles;
  const std::size_t moved = p.id[0] == 1 ? 0 : 1;
  EXPECT_NEAR(p.acceleration[moved].x / -pull, 1, 1e-6) << softening;
  EXPECT_NEAR(p.potential[moved] / (-G * heavy / std::sqrt(square)), 1, 1e-6) << softening;
  // dt = sqrt(2 eta a eps / g), with g = pull / a^2 and the background's part of it
  const double a = simulation.time(), hubble = units::hubble_100 * std::pow(a, -1.5);
  const double peculiar = pull - 0.5 * units::hubble_100 * units::hubble_100 * apart;
  const double dlna = hubble * std::sqrt(2 * 0.025 * a * a * a * softening / peculiar);
  EXPECT_NEAR(std::log(simulation.next_time() / a) / dlna, 1, 1e-6) << softening;
}

TEST(PhysicalSoftening, HoldsInPullsAndSteps) {
  const auto backend = make_simd_backend();
  const Parameters cap = capped_at(10), no_cap = capped_at(0);
  for (const double a : {0.2, 0.5, 0.8, 1.0}) {
    Simulation capped(cap, heavy_and_light(a), *backend), free(no_cap, heavy_and_light(a), *backend);
    capped.start(), free.start();
    EXPECT_DOUBLE_EQ(capped.uncapped_softening(), 0.04);
    expect_softened(capped, std::fmin(0.04, 0.01 / a));  // capped from a = 0.25 on
    expect_softened(free, 0.04);
  }
}

/// One run that passes the epoch of the cap, in steps so short that nothing moves.
TEST(PhysicalSoftening, ShrinksAsARunGoesOn) {
  const auto backend = make_simd_backend();
  const Parameters cap = capped_at(10);
  Simulation simulation(cap, heavy_and_light(0.25 - 1e-7), *backend);
  simulation.start();
  expect_softened(simulation, 0.04);
  simulation.step(0.25 + 1e-5);
  expect_softened(simulation, 0.01 / (0.25 + 1e-5));
}

}  // namespace
}  // namespace multiwalk
