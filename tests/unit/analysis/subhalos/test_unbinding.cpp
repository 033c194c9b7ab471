// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/subhalos/potential.hpp"
#include "analysis/subhalos/unbinding.hpp"
#include "tests/support/bound_spheres.hpp"

namespace multiwalk {
namespace {

using test::SphereOfMembers;

std::vector<std::uint32_t> all_of(std::span<const Member> members) {
  std::vector<std::uint32_t> all(members.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

UnbindingOptions at_redshift_0() {
  return {.a = 1, .hubble = 100, .softening = 0.005};
}

TEST(Potential, TreeAndPairsAgree) {
  const std::vector<Member> members = SphereOfMembers{.n = 6000}.make();
  const std::vector<std::uint32_t> all = all_of(members);
  const std::vector<float> tree = inverse_distance_sums(members, all, 0.01);
  double worst = 0;
  for (std::size_t i = 0; i < all.size(); i += 37) {
    double sum = 0;
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j != i)
        sum += static_cast<double>(members[j].mass) /
               std::sqrt(norm2(static_cast<Vec3d>(members[j].place - members[i].place)) + 1e-4);
    worst = std::max(worst, std::fabs(static_cast<double>(tree[i]) / sum - 1));
  }
  EXPECT_LT(worst, 0.01);
  EXPECT_GT(worst, 0) << "every pair was summed";
}

TEST(Potential, WhatIsRemovedNoLongerPulls) {
  const std::vector<Member> members = SphereOfMembers{.n = 500}.make();
  std::vector<std::uint32_t> left = all_of(members);
  std::vector<float> sums = inverse_distance_sums(members, left, 0.01);
  const std::vector<std::uint32_t> removed(left.end() - 100, left.end());
  left.resize(400);
  sums.resize(400);
  subtract_members(members, left, removed, 0.01, sums);
  const std::vector<float> expected = inverse_distance_sums(members, left, 0.01);
  for (std::size_t k = 0; k < left.size(); ++k) EXPECT_NEAR(sums[k], expected[k], 1e-5 * expected[k]);
}

/// A stream faster than the speed of escape from the centre passes through the sphere.
TEST(Unbinding, ASphereIsBoundAndAFastStreamIsNot) {
  constexpr std::size_t n = 3000, streaming = 900;
  const SphereOfMembers sphere{.n = n};
  const double escape = std::sqrt(2 * units::gravitational_constant * sphere.mass / (0.589 * sphere.radius));
  std::vector<Member> members = sphere.make();
  SphereOfMembers stream{.n = streaming, .mass = 300, .first_id = n, .seed = 7};
  stream.velocity = {2.5 * escape, 0, 0};
  for (Member m : stream.make()) {
    m.velocity = static_cast<Vec3f>(stream.velocity);
    m.place.x *= 5;
    members.push_back(m);
  }
  const BoundSet set = unbind(members, all_of(members), 0, at_redshift_0());
  std::size_t wrong = 0;
  for (const std::uint32_t i : set.of_bound()) wrong += members[i].id >= n;
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(set.bound, n * 97 / 100);
  EXPECT_EQ(set.member.size(), members.size());
  EXPECT_LT(norm(set.centre), 0.02F);
  EXPECT_LT(norm(set.velocity), 0.1F * static_cast<float>(escape));
}

/// The candidates that are known to be the core decide what it is, even where they are the few.
TEST(Unbinding, TheKnownCoreDecides) {
  const std::vector<Member> large = SphereOfMembers{.n = 2000, .mass = 2000}.make();
  SphereOfMembers small{.n = 400, .mass = 400, .radius = 0.05, .first_id = 2000, .seed = 3};
  small.centre = {0.3, 0, 0};
  small.velocity = {900, 0, 0};
  const std::vector<Member> members = test::together(large, small.make());
  std::vector<std::uint32_t> candidates(members.size());
  for (std::size_t k = 0; k < candidates.size(); ++k)
    candidates[k] = static_cast<std::uint32_t>((k + 2000) % members.size());
  const BoundSet set = unbind(members, candidates, 40, at_redshift_0());
  std::size_t of_small = 0;
  for (const std::uint32_t i : set.of_bound()) of_small += i >= 2000;
  EXPECT_GT(of_small, 380U);
  EXPECT_LT(set.bound - of_small, 100U);
}

/// In a merger the core of a halo moves with more than its dispersion relative to the rest.
TEST(Unbinding, AHaloWithAMovingCoreStaysBound) {
  std::vector<Member> members = SphereOfMembers{.n = 1000}.make();
  const auto from_centre = [](const Member& m) { return norm2(m.place); };
  std::ranges::sort(members, {}, from_centre);
  const double escape = std::sqrt(2 * units::gravitational_constant * 1000 / (0.589 * 0.2));
  for (std::size_t k = 0; k < 100; ++k) members[k].velocity.x += static_cast<float>(0.5 * escape);
  const BoundSet set = unbind(members, all_of(members), members.size(), at_redshift_0());
  EXPECT_GT(set.bound, 850U);
}

/// At rest in comoving coordinates a particle flows away with H a x: bound within (2 G M / (a^3 H^2))^(1/3) of a mass.
TEST(Unbinding, TheHubbleFlowCounts) {
  const UnbindingOptions options{.a = 0.5, .hubble = 150, .softening = 0.02};
  constexpr double mass = 1000;
  const double edge = std::cbrt(2 * units::gravitational_constant * mass / (0.125 * 150 * 150));
  std::vector<Member> members;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const float small = 1e-3F * static_cast<float>(i % 10);
    members.push_back({i, {small, -small, 0}, {}, static_cast<float>(mass / 100)});
  }
  for (const double r : {0.97, 1.03})
    members.push_back({members.size(), {static_cast<float>(r * edge), 0, 0}, {}, 1e-6F});
  const BoundSet set = unbind(members, all_of(members), 0, options);
  EXPECT_EQ(set.bound, 101U);
  EXPECT_EQ(set.of_bound().back(), 100U);
  EXPECT_EQ(set.of_unbound().front(), 101U);
}

TEST(Unbinding, FewAreNone) {
  const std::vector<Member> members = SphereOfMembers{.n = 19}.make();
  EXPECT_EQ(unbind(members, all_of(members), 0, at_redshift_0()).bound, 0U);
  EXPECT_EQ(unbind(members, {}, 0, at_redshift_0()).bound, 0U);
}

}  // namespace
}  // namespace multiwalk
