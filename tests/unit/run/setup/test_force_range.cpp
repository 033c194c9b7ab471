// SPDX-License-Identifier: GPL-3.0-or-later
// Tree forces in other units: as accurate at the ends of the range that is taken, refused beyond it.
#include <gtest/gtest.h>

#include "analysis/forces/force_error.hpp"
#include "host/base/error.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "run/evolve/force_range.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

ParticleSystem scaled(double length, double mass) {
  ParticleSystem system;
  system.particles = test::plummer(4000, 3);
  for (Vec3d& p : system.particles.position) p *= length;
  for (float& m : system.particles.mass) m = static_cast<float>(m * 4000 * mass);
  return system;
}

ErrorPercentiles errors(ParticleSystem system, double length, Mac mac) {
  GravityOptions options;
  options.mac = mac;
  options.theta = 0.5;
  const auto backend = make_simd_backend();
  GravitySolver solver(options, *backend);
  const PairLaw law{1, 0.02 * length, MultipoleOrder::quadrupole};
  solver.accelerate(system.particles, law);
  solver.accelerate(system.particles, law);
  return measure_force_error(system.particles, law, {2000}).total;
}

TEST(ForceRange, UnitsInRangeChangeNoErrors) {
  for (const Mac mac : {Mac::barnes90, Mac::relative}) {
    const ErrorPercentiles usual = errors(scaled(1, 1.0 / 4000), 1, mac);
    for (const double length : {1.5e-4, 0.7e5}) {
      for (const double mass : {1e-15, length < 1 ? 1e15 : 5e11}) {
        ParticleSystem system = scaled(length, mass);
        EXPECT_NO_THROW(require_force_range(system, "model"));
        const ErrorPercentiles changed = errors(std::move(system), length, mac);
        EXPECT_NEAR(changed.median / usual.median, 1, 0.02) << length << " " << mass;
        EXPECT_NEAR(changed.p99 / usual.p99, 1, 0.02) << length << " " << mass;
      }
    }
  }
}

TEST(ForceRange, UnitsBeyondItAreRefused) {
  for (const auto& [length, mass] :
       {std::pair{1e9, 1.0}, {1e-9, 1.0}, {1e6, 1e-24}, {1.0, 1e-24}, {1.0, 1e24}, {7e4, 1e15}}) {
    EXPECT_THROW(require_force_range(scaled(length, mass), "model"), InputError) << length << " " << mass;
  }
}

TEST(ForceRange, AFarBodyDoesNotChangeTheScale) {
  ParticleSystem system = scaled(1, 1);
  const double radius = scale_of(system).radius;
  system.particles.position[0] = {1e12, 0, 0};
  EXPECT_NEAR(scale_of(system).radius, radius, 1e-2 * radius);
  EXPECT_NEAR(scale_of(system).farthest, 1e12, 10);
}

/// If one cell of the tree holds all others, their forces are slow but not wrong; even farther away, numbers overflow.
TEST(ForceRange, AFarBodyIsToldOfOrRefused) {
  const auto far = [](double distance) {
    ParticleSystem system = scaled(1, 1.0 / 4000);
    system.particles.position[0] = {distance, 0, 0};
    return system;
  };
  const ErrorPercentiles usual = errors(far(1), 1, Mac::relative);
  for (const double distance : {1e2, 1e5, 1e8, 1e12, 0.9e13}) {
    const std::string warning = judge_force_range(far(distance), "x.hdf5");
    EXPECT_EQ(warning.find("x.hdf5: the farthest particle is") == 0, distance > 1e6) << distance << warning;
    const ErrorPercentiles others = errors(far(distance), 1, Mac::relative);
    EXPECT_LT(others.p99, 1.5 * usual.p99) << distance;
    EXPECT_LT(others.max, 2 * usual.max) << distance;
  }
  EXPECT_THROW(require_force_range(far(1.1e13), "x"), InputError);
}

TEST(ForceRange, PairsAndSinglesHaveNoScaleToRefuse) {
  ParticleSystem system;
  EXPECT_NO_THROW(require_force_range(system, "model"));
}

}  // namespace
}  // namespace multiwalk
