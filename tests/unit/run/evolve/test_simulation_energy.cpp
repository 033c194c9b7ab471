// SPDX-License-Identifier: GPL-3.0-or-later
// What a tree run does if energies are not finite, or 0.
#include <gtest/gtest.h>

#include <cmath>

#include "decomposition/ranks/agree.hpp"
#include "host/force/simd_backend.hpp"
#include "run/evolve/simulation.hpp"

namespace multiwalk {
namespace {

/// Two bodies of mass 2 at (+-1, 0, 0), moving along y.
ParticleSystem two_bodies(float speed) {
  ParticleSystem system;
  system.frame = Frame::newtonian;
  system.time = 0;
  system.particles.resize(2);
  for (const int sign : {-1, 1}) {
    const std::size_t i = sign < 0 ? 0 : 1;
    system.particles.position[i] = {1.0 * sign, 0, 0};
    system.particles.velocity[i] = {0, speed * static_cast<float>(sign), 0};
    system.particles.mass[i] = 2;
    system.particles.id[i] = i;
  }
  return system;
}

const Parameters point_masses = [] {
  Parameters parameters;
  parameters.softening.softening = 0;
  return parameters;
}();

TEST(SimulationEnergy, ThatIsNoNumberEndsTheRun) {
  const auto backend = make_simd_backend();
  Simulation sound(point_masses, two_bodies(1), *backend);
  EXPECT_NO_THROW(sound.start());
  Simulation broken(point_masses, two_bodies(HUGE_VALF), *backend);
  EXPECT_THROW(broken.start(), SharedError);
}

TEST(SimulationEnergy, ThatBeginsAtZeroHasAnError) {
  const auto backend = make_simd_backend();
  Simulation parabola(point_masses, two_bodies(1), *backend);
  parabola.start();
  EXPECT_EQ(parabola.energy_error(), 0);
  parabola.step(0.5);
  EXPECT_GT(parabola.energy_error(), 0.01);
  EXPECT_STREQ(parabola.energy_scale(), "1 % of the first kinetic and potential energy");
  Simulation resumed(point_masses, two_bodies(1), *backend);
  resumed.restore(parabola.state());
  EXPECT_EQ(resumed.energy_error(), parabola.energy_error());
}

}  // namespace
}  // namespace multiwalk
