// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of checkpoints for tests: particles with awkward values, compared bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "run/snapshots/checkpoint.hpp"

namespace multiwalk::test {

/// Sets every array of particle i, those of rungs if there are any; among the values are -0, a subnormal one and NaN.
inline void set_particle(ParticleStore& p, std::size_t i, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  p.position[i] = {normal(random), normal(random), normal(random)};
  p.velocity[i] = Vec3f(p.position[i]);
  p.mass[i] = static_cast<float>(std::fabs(normal(random)));
  p.id[i] = random();
  p.acceleration[i] = {p.mass[i], -0.0f, 1e-40f};
  p.potential[i] = std::numeric_limits<float>::quiet_NaN();
  p.key[i] = random();
  p.work[i] = static_cast<float>(random() % 1000);
  if (!p.has_rungs()) return;
  p.long_range[i] = {-0.0f, p.mass[i], 1e-41f};
  p.rung[i] = static_cast<std::uint8_t>(random() % 21);
}

inline void expect_identical(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.blobs, b.blobs);
  EXPECT_EQ(a.system.frame, b.system.frame);
  EXPECT_EQ(a.system.boundary, b.system.boundary);
  EXPECT_EQ(a.system.time, b.system.time);
  EXPECT_EQ(a.system.box_size, b.system.box_size);
  EXPECT_EQ(a.system.spacing, b.system.spacing);
  EXPECT_EQ(a.system.sphere_radius, b.system.sphere_radius);
  EXPECT_EQ(a.system.particles.has_rungs(), b.system.particles.has_rungs());
  std::vector<std::string> contents[2];
  for (const Checkpoint* c : {&a, &b})
    c->system.particles.for_each_array([&]<class T>(const char*, const ParticleArray<T>& values) {
      contents[c == &b].emplace_back(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    });
  EXPECT_EQ(contents[0], contents[1]);
}

}  // namespace multiwalk::test
