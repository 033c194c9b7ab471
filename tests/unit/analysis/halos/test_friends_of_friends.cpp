// SPDX-License-Identifier: GPL-3.0-or-later
// Groups against all pairs, and shapes whose groups are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/halos/friends_of_friends.hpp"
#include "host/base/error.hpp"
#include "tests/support/brute_friends.hpp"

namespace multiwalk {
namespace {

std::vector<std::uint64_t> groups_of(const std::vector<Vec3d>& position, double length, double period) {
  std::vector<std::uint64_t> id(position.size());
  std::iota(id.begin(), id.end(), 0U);
  return friends_of_friends(position, id, DomainMap(), {length, period});
}

TEST(FriendsOfFriends, AreThoseOfAllPairs) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const ParticleStore p = test::clumpy_box(3000, 5, seed);
    for (const double period : {0.0, 5.0}) {
      for (const double length : {1e-3, 0.02, 0.07, 0.15, 0.4, 1.3, 3.0}) {
        const auto found = friends_of_friends(p.position, p.id, DomainMap(), {length, period});
        EXPECT_EQ(found, test::brute_friends(p.position, p.id, length, period))
            << seed << ' ' << period << ' ' << length;
      }
    }
  }
}

TEST(FriendsOfFriends, AreThoseOfAllPairsInALatticeAtTheLinkingLength) {
  // Neighbours exactly a linking length apart are friends; cells meet particles on their faces.
  std::vector<Vec3d> lattice;
  for (int i = 0; i < 512; ++i) lattice.push_back({0.25 * (i / 64), 0.25 * (i / 8 % 8), 0.25 * (i % 8)});
  std::vector<std::uint64_t> id(lattice.size());
  std::iota(id.begin(), id.end(), 0U);
  for (const double length : {0.25, 0.2499999999, 0.3535533905932738}) {
    for (const double period : {0.0, 2.0})
      EXPECT_EQ(groups_of(lattice, length, period), test::brute_friends(lattice, id, length, period)) << length;
  }
  const auto all = groups_of(lattice, 0.25, 0);
  EXPECT_EQ(std::ranges::count(all, 0U), 512);
}

TEST(FriendsOfFriends, ReachOverFaceEdgeAndCorner) {
  const std::vector<Vec3d> pairs = {{0.05, 5, 5},    {9.95, 5, 5},       {5, 0.05, 0.05},
                                    {5, 9.95, 9.95}, {0.05, 0.05, 0.05}, {9.95, 9.95, 9.95}};
  EXPECT_EQ(groups_of(pairs, 0.2, 10), (std::vector<std::uint64_t>{0, 0, 2, 2, 4, 4}));
  EXPECT_EQ(groups_of(pairs, 0.2, 0), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(FriendsOfFriends, FollowAChainToItsEnd) {
  std::vector<Vec3d> chain;
  for (int i = 0; i < 5000; ++i) chain.push_back({0.002 * i, 0.3 * (i % 2), 0.25 + 1e-5 * i});
  const auto even_and_odd = groups_of(chain, 0.0041, 0);
  for (std::size_t i = 0; i < chain.size(); ++i) EXPECT_EQ(even_and_odd[i], i % 2);
  const auto none = groups_of(chain, 0.0039, 0);
  for (std::size_t i = 0; i < chain.size(); ++i) EXPECT_EQ(none[i], i);
}

TEST(FriendsOfFriends, CoincidentParticlesAreOneGroup) {
  std::vector<Vec3d> heap(300, Vec3d{1, 2, 3});
  heap.push_back({1.5, 2, 3});
  for (const double period : {0.0, 4.0}) {
    const auto group = groups_of(heap, 0.1, period);
    EXPECT_EQ(std::ranges::count(group, 0U), 300);
    EXPECT_EQ(group.back(), 300U);
  }
}

TEST(FriendsOfFriends, FewOrNoParticles) {
  EXPECT_TRUE(groups_of({}, 0.1, 0).empty());
  EXPECT_EQ(groups_of({{1, 1, 1}}, 0.1, 2), std::vector<std::uint64_t>{0});
}

TEST(FriendsOfFriends, RefusesLengthsThatMeanNothing) {
  EXPECT_THROW(groups_of({{0, 0, 0}, {1, 1, 1}}, 0, 0), InputError);
  EXPECT_THROW(groups_of({{0, 0, 0}, {1, 1, 1}}, -1, 0), InputError);
  EXPECT_THROW(groups_of({{0, 0, 0}, {1, 1, 1}}, 1e-9, 0), InputError);
}

}  // namespace
}  // namespace multiwalk
