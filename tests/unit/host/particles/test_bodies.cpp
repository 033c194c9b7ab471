// SPDX-License-Identifier: GPL-3.0-or-later
// Initial conditions in double precision, for direct integrators.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "ic/isolated/isolated.hpp"
#include "ic/models/kepler_disc.hpp"
#include "ic/models/plummer.hpp"
#include "ic/models/standard_units.hpp"
#include "ic/models/two_body.hpp"

namespace multiwalk {
namespace {

TEST(PlummerBodies, AreThoseOfTheParticleSystem) {
  const Bodies bodies = make_plummer_bodies(1000, 7);
  const ParticleStore particles = make_plummer(1000, 7).particles;
  double kinetic = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    EXPECT_EQ(bodies.position[i], particles.position[i]);
    EXPECT_LT(norm(bodies.velocity[i] - Vec3d(particles.velocity[i])), 3e-7);
    kinetic += bodies.mass[i] * norm2(bodies.velocity[i]) / 2;
  }
  EXPECT_NEAR(kinetic, 0.25, 0.02);
}

TEST(StandardUnits, GiveEquilibriumAndAQuarterOfBindingEnergy) {
  Bodies bodies = make_plummer_bodies(200, 3);
  const auto potentials = [&] {
    std::vector<double> sums(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      for (std::size_t j = 0; j < bodies.size(); ++j) {
        if (i != j) sums[i] -= bodies.mass[j] / norm(bodies.position[i] - bodies.position[j]);
      }
    }
    return sums;
  };
  bodies.potential = potentials();
  to_standard_units(bodies);
  const std::vector<double> expected = potentials();
  double kinetic = 0, potential = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    EXPECT_NEAR(bodies.potential[i], expected[i], 1e-13);
    kinetic += bodies.mass[i] * norm2(bodies.velocity[i]) / 2;
    potential += bodies.mass[i] * expected[i] / 2;
  }
  EXPECT_NEAR(kinetic, 0.25, 1e-14);
  EXPECT_NEAR(potential, -0.5, 1e-14);
  EXPECT_THROW(to_standard_units(bodies = isolated_bodies(3, {})), SharedError);
}

TEST(KeplerPair, HasTheEnergyOfItsOrbit) {
  const Bodies pair = make_kepler_pair(0.9);
  const double kinetic = 0.5 * (norm2(pair.velocity[0]) + norm2(pair.velocity[1])) / 2;
  EXPECT_NEAR(kinetic - 0.25 / norm(pair.position[0] - pair.position[1]), -0.125, 1e-15);
}

TEST(KeplerDisc, TurnsOnCirclesWithoutMomentum) {
  const double disc_mass = 0.1;
  const Bodies disc = make_kepler_disc(101, disc_mass, 1);
  Vec3d momentum;
  double mass = 0;
  for (std::size_t i = 0; i < disc.size(); ++i) {
    momentum += disc.mass[i] * disc.velocity[i];
    mass += disc.mass[i];
  }
  EXPECT_NEAR(norm(momentum), 0, 1e-15);
  EXPECT_NEAR(mass, 1 + disc_mass, 1e-13);
  EXPECT_EQ(disc.position[0], Vec3d{});
  for (std::size_t i = 1; i < disc.size(); ++i) {
    const auto radius = static_cast<double>(i);
    const Vec3d velocity = disc.velocity[i] - disc.velocity[0];
    EXPECT_NEAR(norm(disc.position[i]), radius, 1e-13 * radius);
    EXPECT_NEAR(dot(disc.position[i], velocity), 0, 1e-13);
    EXPECT_NEAR(norm2(velocity) * radius, 1 + 0.001 * (radius - 1), 1e-13);
  }
  EXPECT_THROW(make_kepler_disc(1, 0, 1), SharedError);
  EXPECT_THROW(make_kepler_disc(3, -1, 1), SharedError);
}

}  // namespace
}  // namespace multiwalk
