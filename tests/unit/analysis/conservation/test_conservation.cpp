// SPDX-License-Identifier: GPL-3.0-or-later
// Energy sums against sums by hand; the Layzer-Irvine invariant along an accurate comoving orbit in the vacuum sphere.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "analysis/conservation/conservation.hpp"
#include "host/base/error.hpp"

namespace multiwalk {
namespace {

/// Three bodies about the centre of an Einstein-de Sitter vacuum sphere, in double precision, independent of the code.
struct ComovingBodies {
  static constexpr double h0 = 1.3, omega_m = 1, softening = 0.05;
  static constexpr double background = 0.5 * omega_m * h0 * h0;
  std::array<double, 3> mass{0.9, 0.6, 0.4};
  std::array<Vec3d, 3> x{{{0.5, 0.1, 0}, {-0.4, 0.3, 0.2}, {-0.2, -0.6, -0.1}}};
  std::array<Vec3d, 3> p{{{0.01, 0.05, 0.02}, {-0.03, -0.02, 0.01}, {0.02, -0.04, 0}}};
  double a = 0.1;

  [[nodiscard]] double separation(int i, int j) const {
    return std::sqrt(norm2(x[static_cast<std::size_t>(j)] - x[static_cast<std::size_t>(i)]) + softening * softening);
  }
  /// d/da of (x, p): dx/dt = p/a^2, dp/dt = (pull + background x)/a, da/dt = a H.
  [[nodiscard]] ComovingBodies derivative() const {
    ComovingBodies d = *this;
    const double da_dt = h0 / std::sqrt(a);
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3d pull = background * x[i];
      for (std::size_t j = 0; j < 3; ++j) {
        const double r = separation(static_cast<int>(i), static_cast<int>(j));
        pull += (mass[j] / (r * r * r)) * (x[j] - x[i]);
      }
      d.x[i] = (1 / (a * a * da_dt)) * p[i];
      d.p[i] = (1 / (a * da_dt)) * pull;
    }
    return d;
  }
  [[nodiscard]] ComovingBodies moved(const ComovingBodies& d, double da) const {
    ComovingBodies next = *this;
    next.a = a + da;
    for (std::size_t i = 0; i < 3; ++i) {
      next.x[i] += da * d.x[i];
      next.p[i] += da * d.p[i];
    }
    return next;
  }
  void step_runge_kutta(double da) {
    const ComovingBodies k1 = derivative();
    const ComovingBodies k2 = moved(k1, da / 2).derivative();
    const ComovingBodies k3 = moved(k2, da / 2).derivative();
    const ComovingBodies k4 = moved(k3, da).derivative();
    *this = moved(k1, da / 6).moved(k2, da / 3).moved(k3, da / 3).moved(k4, da / 6);
  }
  /// The convention of conservation.hpp, written out by hand.
  [[nodiscard]] EnergySums sums(double background_share = 1) const {
    EnergySums energy;
    for (std::size_t i = 0; i < 3; ++i) {
      energy.kinetic += 0.5 * mass[i] * norm2(p[i]) / (a * a);
      energy.potential -= 0.25 * background_share * omega_m * h0 * h0 * mass[i] * norm2(x[i]) / a;
      for (std::size_t j = 0; j < i; ++j) {
        energy.potential -= mass[i] * mass[j] / separation(static_cast<int>(i), static_cast<int>(j)) / a;
      }
    }
    return energy;
  }
  [[nodiscard]] ParticleSystem system() const {
    ParticleSystem system;
    system.time = a;
    for (std::size_t i = 0; i < 3; ++i) {
      double phi = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        if (i != j) phi -= mass[j] / separation(static_cast<int>(i), static_cast<int>(j));
      }
      system.particles.position.push_back(x[i]);
      system.particles.velocity.push_back(static_cast<Vec3f>(p[i]));
      system.particles.mass.push_back(static_cast<float>(mass[i]));
      system.particles.potential.push_back(static_cast<float>(phi));
    }
    return system;
  }
};

/// Relative violation at a = 1, with the background's energy multiplied by `background_share`.
double violation_along_orbit(double background_share) {
  ComovingBodies bodies;
  LayzerIrvine balance;
  balance.add(bodies.a, bodies.sums(background_share), 0);
  const int steps = 20000;
  for (int i = 0; i < steps; ++i) {
    bodies.step_runge_kutta(0.9 / steps);
    bodies.a = 0.1 + 0.9 * (i + 1) / steps;
    balance.add(bodies.a, bodies.sums(background_share), 0);
  }
  return balance.relative_violation();
}

TEST(Conservation, LayzerIrvineHoldsInTheVacuumSphere) {
  EXPECT_LT(violation_along_orbit(1), 1e-8);
  EXPECT_GT(violation_along_orbit(0.5), 1e-3);
  EXPECT_GT(violation_along_orbit(-1), 1e-3);
}

TEST(Conservation, SumsFollowTheConvention) {
  ComovingBodies bodies;
  bodies.a = 0.4;
  const EnergySums expected = bodies.sums();
  const EnergySums sums = energy_sums(bodies.system(), ComovingBodies::background);
  EXPECT_NEAR(sums.kinetic, expected.kinetic, 1e-6 * expected.kinetic);
  EXPECT_NEAR(sums.potential, expected.potential, 1e-6 * std::fabs(expected.potential));

  ParticleSystem newtonian = bodies.system();
  newtonian.frame = Frame::newtonian;
  EXPECT_NEAR(energy_sums(newtonian, 0).kinetic, 0.16 * expected.kinetic, 1e-6 * expected.kinetic);
}

TEST(Conservation, ParticlesMayChangeAheadOfTheirSums) {
  ParticleSystem system;
  system.particles.resize(10001);
  std::ranges::fill(system.particles.mass, 2.0F);
  const auto speed_up = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) system.particles.velocity[i].x += 3;
  };
  int summed = 0;
  EXPECT_EQ(energy_sums(system, 0, {}, speed_up, [&] { ++summed; }).kinetic, 9 * 10001);
  EXPECT_EQ(summed, 1);
  EXPECT_EQ(energy_sums(system, 0).kinetic, 9 * 10001);
}

TEST(Conservation, MomentaOfBodies) {
  const ComovingBodies three;
  Bodies bodies;
  bodies.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    bodies.position[i] = three.x[i];
    bodies.velocity[i] = three.p[i];
    bodies.mass[i] = three.mass[i];
  }
  const MomentumSums sums = momentum_sums(bodies);
  EXPECT_NEAR(sums.linear.x, 0.9 * 0.01 - 0.6 * 0.03 + 0.4 * 0.02, 1e-8);
  EXPECT_NEAR(sums.angular.z,
              0.9 * (0.5 * 0.05 - 0.1 * 0.01) + 0.6 * (0.4 * 0.02 + 0.3 * 0.03) + 0.4 * (0.2 * 0.04 + 0.6 * 0.02),
              1e-8);
}

TEST(Conservation, HomogeneousSphere) {
  // G M/R^3 = background: the pairs give -3/5 G M^2/R, the background half as much again.
  EXPECT_NEAR(homogeneous_sphere_potential(2, 3, 4, 2 * 3 / 64.0, 0.5), -0.9 * 2 * 9 / 4 / 0.5, 1e-12);
  EXPECT_EQ(homogeneous_sphere_potential(1, 1, 0, 1, 1), 0);
}

TEST(Conservation, SameForAnyNumberOfThreads) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  ParticleSystem system;
  system.particles.resize(50000);
  for (std::size_t i = 0; i < system.particles.size(); ++i) {
    system.particles.position[i] = {normal(random), normal(random), normal(random)};
    system.particles.velocity[i] = static_cast<Vec3f>(Vec3d{normal(random), normal(random), normal(random)});
    system.particles.mass[i] = 1.0F + static_cast<float>(i % 7);
    system.particles.potential[i] = static_cast<float>(normal(random));
  }
  Bodies bodies;
  bodies.resize(system.particles.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i] = system.particles.position[i];
    bodies.velocity[i] = static_cast<Vec3d>(system.particles.velocity[i]);
    bodies.mass[i] = system.particles.mass[i];
  }
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const EnergySums one = energy_sums(system, 0.3);
  const MomentumSums momentum_of_one = momentum_sums(bodies);
  omp_set_num_threads(3);
  const EnergySums three = energy_sums(system, 0.3);
  EXPECT_EQ(momentum_sums(bodies).linear, momentum_of_one.linear);
  EXPECT_EQ(momentum_sums(bodies).angular, momentum_of_one.angular);
  omp_set_num_threads(threads);
  EXPECT_EQ(one.kinetic, three.kinetic);
  EXPECT_EQ(one.potential, three.potential);
}

TEST(Conservation, EnergiesThatAreNotFiniteAreNoEnergies) {
  EXPECT_NO_THROW(require_finite({1, -2}, 0));
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_THROW(require_finite({bad, -2}, 0), InputError);
    EXPECT_THROW(require_finite({1, bad}, 0), InputError);
  }
}

TEST(Conservation, BodiesThatAreNotFiniteAreRefused) {
  Bodies bodies;
  bodies.resize(3);
  EXPECT_NO_THROW(require_finite(bodies, 0));
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e200}) {
    bodies.position[1].y = bad;
    EXPECT_THROW(require_finite(bodies, 0), InputError);
    bodies.position[1].y = 0;
    bodies.velocity[2].x = bad;
    EXPECT_THROW(require_finite(bodies, 0), InputError);
    bodies.velocity[2].x = 1e150;
    EXPECT_NO_THROW(require_finite(bodies, 0));
  }
}

TEST(Conservation, ErrorsOfAnEnergyAreRelativeToItUnlessItCancels) {
  EXPECT_NEAR(energy_error({1, -2}, {1.5, -2.4}), 0.1, 1e-12);
  EXPECT_STREQ(energy_scale({1, -2}, {1.5, -2.4}).name, "its first value");
  EXPECT_DOUBLE_EQ(energy_error({0, -2}, {0.5, -2}), 0.25);
  EXPECT_DOUBLE_EQ(energy_error({2, -2}, {2, -1.96}), 1) << "an orbit that is just bound, by a hundredth of 4";
  EXPECT_NEAR(energy_error({2, -2 - 1e-12}, {2, -1.96}), 1, 1e-10);
  EXPECT_STREQ(energy_scale({2, -2}, {2, -1.96}).name, "1 % of the first kinetic and potential energy");
  EXPECT_DOUBLE_EQ(energy_error({0, 0}, {3, -1}), 0.5);
  EXPECT_EQ(energy_error({0, 0}, {0, 0}), 0);
}

TEST(Conservation, StateSurvivesACheckpoint) {
  LayzerIrvine whole, resumed;
  const auto sums = [](double kinetic) { return EnergySums{kinetic, -2}; };
  whole.add(0.1, sums(1), 0);
  whole.add(0.2, sums(1.2), 0);
  resumed.restore(whole.state());
  whole.add(0.3, sums(1.5), 0);
  resumed.add(0.3, sums(1.5), 0);
  EXPECT_EQ(whole.relative_violation(), resumed.relative_violation());
  EXPECT_GT(whole.relative_violation(), 0.01);
}

}  // namespace
}  // namespace multiwalk
