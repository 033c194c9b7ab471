// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "host/time/leapfrog.hpp"

namespace multiwalk {
namespace {

ParticleStore waves(std::size_t n) {
  ParticleStore apart;
  apart.resize(n);
  for (std::size_t i = 0; i < apart.size(); ++i) {
    const auto x = static_cast<double>(i);
    apart.position[i] = {std::sin(x), std::cos(3 * x), x / 7};
    apart.velocity[i] = static_cast<Vec3f>(Vec3d{std::cos(x), 0.3, -x});
    apart.acceleration[i] = static_cast<Vec3f>(Vec3d{1 / (1 + x), -x, std::sin(5 * x)});
  }
  return apart;
}

TEST(Leapfrog, AKickAndADriftInOnePassAreTheTwo) {
  ParticleStore apart = waves(1001), once = apart;
  kick(apart, 0, apart.size(), 0.3, 1.7);
  EXPECT_NEAR(apart.velocity[2].y, 0.3 + 0.3 * (-2 + 1.7 * std::cos(6.0)), 1e-6);
  drift(apart, 0.07);
  kick_and_drift(once, 0.3, 1.7, 0.07);
  EXPECT_EQ(once.position, apart.position);
  EXPECT_EQ(once.velocity, apart.velocity);
}

/// Particles drift at the velocities that the store has, rounded, with any number of threads.
TEST(Leapfrog, PositionsFollowFromTheStoredVelocities) {
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3, 16}) {
    omp_set_num_threads(threads);
    for (const std::size_t n : {1001U, 5003U, 50001U}) {
      const ParticleStore first = waves(n);
      ParticleStore moved = first;
      kick_and_drift(moved, 0.01, 0.3, 0.02);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const volatile double step = 0.02 * static_cast<double>(moved.velocity[i].x);
        if (moved.position[i].x != first.position[i].x + step) ++wrong;
      }
      EXPECT_EQ(wrong, 0U) << n << " particles, " << threads << " threads";
    }
  }
  omp_set_num_threads(before);
}

TEST(Leapfrog, AKickTellsTheLargestPull) {
  ParticleStore particles;
  particles.resize(9);
  particles.position[4] = {2, 0, 0};
  particles.acceleration[4] = {1, 3, 0};
  particles.acceleration[8] = {0, 0, 7};
  EXPECT_DOUBLE_EQ(kick(particles, 0, 8, 0.5, 1.5), 16 + 9);
  EXPECT_EQ(particles.velocity[4], (Vec3f{2, 1.5F, 0}));
  EXPECT_EQ(particles.velocity[8], Vec3f{});
  particles.acceleration[2].y = std::nanf("");
  EXPECT_EQ(kick(particles, 0, 8, 0.5, 1.5), INFINITY);
}

}  // namespace
}  // namespace multiwalk
