// SPDX-License-Identifier: GPL-3.0-or-later
// Particles between two snapshots follow cubics that do not overshoot.
#include <gtest/gtest.h>

#include <cmath>

#include "host/base/error.hpp"
#include "run/outputs/particle_paths.hpp"

namespace multiwalk {
namespace {

ParticleSystem with_particles(double time, std::vector<Vec3d> position, std::vector<Vec3f> velocity,
                              std::vector<std::uint64_t> id) {
  ParticleSystem system;
  system.frame = Frame::newtonian;
  system.time = time;
  system.particles.resize(position.size());
  for (std::size_t i = 0; i < position.size(); ++i) {
    system.particles.position[i] = position[i];
    system.particles.velocity[i] = velocity[i];
    system.particles.id[i] = id[i];
    system.particles.mass[i] = static_cast<float>(id[i]);
  }
  return system;
}

TEST(ParticlePaths, ACubicIsFollowedExactlyWhateverTheOrder) {
  // x = t^3 - t, y = t^2 between t = 1 and 2; the other particle rests.
  const ParticleSystem before = with_particles(1, {{0, 1, 0}, {5, 5, 5}}, {{2, 2, 0}, {0, 0, 0}}, {4, 9});
  const ParticleSystem after = with_particles(2, {{5, 5, 5}, {6, 4, 0}}, {{0, 0, 0}, {11, 4, 0}}, {9, 4});
  const ParticlePaths paths(before, after, {});
  for (const double t : {1.0, 1.3, 1.75, 2.0}) {
    const ParticleSystem here = paths.at(t);
    EXPECT_EQ(here.time, t);
    EXPECT_NEAR(here.particles.position[0].x, t * t * t - t, 1e-6);
    EXPECT_NEAR(here.particles.position[0].y, t * t, 1e-6);
    EXPECT_EQ(here.particles.position[1], (Vec3d{5, 5, 5}));
    EXPECT_EQ(here.particles.mass[0], 4);
    EXPECT_EQ(here.particles.id[1], 9U);
  }
}

TEST(ParticlePaths, ParticlesThatWentAroundAHaloStayInIt) {
  const ParticlePaths paths(with_particles(0, {{0, 0, 0}}, {{100, 0, 0}}, {1}),
                            with_particles(1, {{1, 0, 0}}, {{-100, 0, 0}}, {1}), {});
  for (double t = 0; t <= 1; t += 0.05) {
    EXPECT_GT(paths.at(t).particles.position[0].x, -0.5) << t;
    EXPECT_LT(paths.at(t).particles.position[0].x, 1.5) << t;
  }
}

TEST(ParticlePaths, ComovingParticlesDriftByTheirMomentaThroughTheFacesOfTheBox) {
  const CosmologyParameters cosmology;
  const Expansion expansion(cosmology);
  const float momentum = 500;
  const double way = momentum * expansion.drift_factor(0.5, 0.6);
  ParticleSystem before = with_particles(0.5, {{49, 10, 10}}, {{momentum, 0, 0}}, {1});
  ParticleSystem after = with_particles(0.6, {{49 + way - 50, 10, 10}}, {{momentum, 0, 0}}, {1});
  ASSERT_GT(49 + way, 50);
  for (ParticleSystem* system : {&before, &after}) {
    system->frame = Frame::comoving;
    system->boundary = Boundary::periodic;
    system->box_size = 50;
  }
  const ParticlePaths paths(before, after, cosmology);
  for (const double a : {0.52, 0.58}) {
    const double x = 49 + momentum * expansion.drift_factor(0.5, a);
    EXPECT_NEAR(paths.at(a).particles.position[0].x, x < 50 ? x : x - 50, 1e-4) << a;
  }
}

TEST(ParticlePaths, RefusesOtherParticlesAndWrongOrder) {
  const ParticleSystem one = with_particles(0, {{0, 0, 0}}, {{0, 0, 0}}, {1});
  EXPECT_THROW(ParticlePaths(one, with_particles(1, {{0, 0, 0}}, {{0, 0, 0}}, {2}), {}), InputError);
  EXPECT_THROW(ParticlePaths(one, one, {}), InputError);
}

}  // namespace
}  // namespace multiwalk
