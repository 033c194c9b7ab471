// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of a few particles, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "analysis/subhalos/subhalo_properties.hpp"

namespace multiwalk {
namespace {

constexpr UnbindingOptions half_way{.a = 0.5, .hubble = 150, .softening = 0.001};

/// All bound, the first most.
BoundSet set_of(const std::vector<Member>& members, std::uint32_t first, std::uint32_t number) {
  BoundSet set;
  set.member.resize(number);
  std::iota(set.member.begin(), set.member.end(), first);
  set.bound = number;
  EXPECT_LE(first + number, members.size());
  return set;
}

/// Of 25 particles at rising distances from the first, the nine nearest are too few for the circular velocity.
TEST(SubhaloProperties, TheCircularVelocityBeginsAtTheTenthParticle) {
  std::vector<Member> members;
  for (std::uint64_t k = 0; k < 25; ++k) {
    const float r = k < 9 ? 1e-4F * static_cast<float>(k) : 0.01F * static_cast<float>(k);
    members.push_back({k, {1 + r, 2, 3}, {}, k < 10 ? 4.0F : 3.0F});
  }
  const Subhalo s = describe_subhalo(members, set_of(members, 0, 25), half_way);
  EXPECT_NEAR(s.mass, 85, 1e-6);
  EXPECT_NEAR(s.r_max, 0.09, 1e-6);
  EXPECT_NEAR(s.v_max / std::sqrt(43.0092 * 40 / (0.5 * 0.09)), 1, 1e-5);
  EXPECT_NEAR(s.half_mass_radius, 0.1, 1e-6) << "43 of 85 within";
  members.resize(20);
  for (Member& m : members) m.mass = 1;
  EXPECT_NEAR(describe_subhalo(members, set_of(members, 0, 20), half_way).half_mass_radius, 0.09, 1e-6)
      << "exactly half";
  EXPECT_EQ(describe_subhalo(members, set_of(members, 0, 9), half_way).v_max, 0);
}

/// A heavy and a light particle that turn about each other.
TEST(SubhaloProperties, MomentsAreWeightedByMass) {
  const std::vector<Member> members{{7, {1, 0, 0}, {0, 10, 0}, 3}, {8, {1.4F, 0, 0}, {0, -50, 20}, 1}};
  const Subhalo s = describe_subhalo(members, set_of(members, 0, 2), half_way);
  EXPECT_EQ(s.most_bound, 7U);
  EXPECT_EQ(s.number, 2U);
  EXPECT_EQ(s.centre, (Vec3d{1, 0, 0}));
  EXPECT_LT(norm(s.centre_of_mass - Vec3d{1.1, 0, 0}), 1e-7);
  EXPECT_LT(norm(s.velocity - Vec3d{0, -5, 5}), 1e-12);
  // The light one: a quarter of the mass at 0.5 * 0.4 from the heavy one, with (0, -45, 15) relative to the mean.
  EXPECT_LT(norm(s.spin - Vec3d{0, -0.25 * 0.2 * 15, -0.25 * 0.2 * 45}), 1e-6);
  EXPECT_NEAR(s.velocity_dispersion, std::sqrt((0.75 * (225 + 25) + 0.25 * (2025 + 225)) / 3), 1e-9);
}

/// In units of the dispersions of the 20 most bound particles of the other; what is less bound does not count.
TEST(SubhaloProperties, DistancesInPhaseSpaceAreThoseOfTheCores) {
  std::vector<Member> members;
  const auto add = [&](Vec3f place, Vec3f velocity, float spread, float dispersion) {
    for (std::uint64_t k = 0; k < 30; ++k) {
      const float side = k % 2 == 0 ? 1 : -1, far = k < 20 ? 0.0F : 5.0F;
      members.push_back({members.size(), place + Vec3f{side * spread + far, 0, 0},
                         velocity + Vec3f{0, side * dispersion + 100 * far, 0}, 1});
    }
  };
  add({0, 0, 0}, {0, 0, 0}, 0.2F, 50);
  add({0, 0.3F, 0.4F}, {0, 0, 60}, 0.02F, 5);
  const BoundSet host = set_of(members, 0, 30), satellite = set_of(members, 30, 30);
  EXPECT_NEAR(phase_space_distance(members, satellite, host), 0.5 / 0.2 + 60.0 / 50, 1e-6);
  EXPECT_NEAR(phase_space_distance(members, host, satellite), 0.5 / 0.02 + 60.0 / 5, 1e-5);
  EXPECT_NEAR(phase_space_distance(members, set_of(members, 30, 20), set_of(members, 0, 20)), 3.7, 1e-6);
}

}  // namespace
}  // namespace multiwalk
