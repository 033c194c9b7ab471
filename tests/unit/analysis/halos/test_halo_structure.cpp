// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "analysis/halos/halo_structure.hpp"
#include "host/base/units.hpp"

namespace multiwalk {
namespace {

/// Two equal masses at a distance 2 r from each other, each at speed v across: E = m v^2 + m (H r)^2 - G m^2 / (2 r),
/// all physical; here the Hubble flow is as fast as the orbit.
TEST(HaloStructure, TheSpinsEnergyHoldsTheHubbleFlow) {
  constexpr double mass = 1000, a = 0.5, place = 0.4, speed = 300;  // comoving place, peculiar speed
  const double r = a * place;
  std::array<SphereSample, 2> pair;
  for (int k = 0; k < 2; ++k) {
    const float side = k == 0 ? 1 : -1;
    pair[k] = {place * place, mass, Vec3f{side * static_cast<float>(place), 0, 0},
               Vec3f{0, side * static_cast<float>(a * speed), 0}, static_cast<std::uint64_t>(k)};
  }
  const SphericalMass sphere{2 * mass, 0.5};
  for (const double hubble : {0.0, speed / r}) {
    const HaloSpin spin = measure_spin(pair, sphere, a, hubble);
    constexpr double G = units::gravitational_constant;
    const double flow = hubble * r;
    const double energy = mass * (speed * speed + flow * flow) - G * mass * mass / (2 * r);
    const double j = r * speed;  // angular momentum per mass
    EXPECT_NEAR(spin.specific.z, j, 1e-6 * j);
    const double peebles = j * std::sqrt(std::fabs(energy)) / (G * std::pow(2 * mass, 1.5));
    EXPECT_NEAR(spin.peebles, peebles, 1e-5 * peebles) << "H = " << hubble;
    const double bullock = j / std::sqrt(2 * G * 2 * mass * a * sphere.radius);
    EXPECT_NEAR(spin.bullock, bullock, 1e-6 * bullock);
  }
}

/// Particles at rest whose energy is the sum over their pairs, of which some are at the same place. The pairs of a
/// particle are summed in single precision in their order.
TEST(HaloStructure, TheSpinsEnergyHoldsAllPairs) {
  for (const std::size_t count : {1U, 15U, 16U, 17U, 101U}) {
    std::vector<SphereSample> samples;
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(i / 2);  // two at each place
      samples.push_back({0, 100.0 + static_cast<double>(i), {std::sin(x), std::cos(3 * x), 0.1F * x}, {}, i});
    }
    double mass = 0, pairs = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const SphereSample& p = samples[i];
      mass += p.mass;
      float potential = 0;
      for (std::size_t j = 0; j < i; ++j) {
        const float dx = samples[j].place.x - p.place.x, dy = samples[j].place.y - p.place.y,
                    dz = samples[j].place.z - p.place.z, square = dx * dx + dy * dy + dz * dz;
        if (square > 0) potential += static_cast<float>(samples[j].mass) / std::sqrt(square);
      }
      pairs += p.mass * static_cast<double>(potential);
    }
    // One turns about the others' centre, so that the spin is not zero; its share of the energy is known.
    samples.back().momentum = {0, 0, 1};
    const SphericalMass sphere{mass, 2};
    const HaloSpin spin = measure_spin(samples, sphere, 1, 0);
    constexpr double G = units::gravitational_constant;
    const double share = samples.back().mass / mass;
    const double kinetic = 0.5 * samples.back().mass * (1 - share);
    const double expected = norm(spin.specific) * std::sqrt(std::fabs(kinetic - G * pairs)) / (G * std::pow(mass, 1.5));
    EXPECT_NEAR(spin.peebles, expected, 1e-12 * expected) << count;
  }
}

}  // namespace
}  // namespace multiwalk
