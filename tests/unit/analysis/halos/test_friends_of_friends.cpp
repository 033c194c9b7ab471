// SPDX-License-Identifier: GPL-3.0-or-later
// Groups against all pairs, and shapes whose groups are known.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "analysis/halos/friends_of_friends.hpp"
#include "host/base/error.hpp"
#include "tests/support/brute_friends.hpp"

namespace multiwalk {
namespace {

std::vector<std::uint64_t> groups_of(const std::vector<Vec3d>& position, double length, double period) {
  std::vector<std::uint64_t> id(position.size());
  std::iota(id.begin(), id.end(), 0U);
  return test::group_of_each(friends_of_friends(position, id, DomainMap(), {length, period}));
}

/// Restores the number of threads when it goes out of scope.
class Threads {
 public:
  explicit Threads(int wanted) : before_(omp_get_max_threads()) { omp_set_num_threads(wanted); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { omp_set_num_threads(before_); }

 private:
  int before_;
};

TEST(FriendsOfFriends, AreThoseOfAllPairs) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const ParticleStore p = test::clumpy_box(2000, 5, seed);
    for (const double period : {0.0, 5.0}) {
      // The last five are longer than an eighth of the period.
      for (const double length : {1e-3, 0.02, 0.07, 0.15, 0.4, 0.66, 0.71, 0.72, 1.3, 3.0}) {
        const FriendGroups found = friends_of_friends(p.position, p.id, DomainMap(), {length, period});
        EXPECT_EQ(test::group_of_each(found), test::brute_friends(p.position, p.id, length, period))
            << seed << ' ' << period << ' ' << length;
      }
    }
  }
}

/// In boxes of one to nine linking lengths: points too few to be one group, and two at opposite corners of a cell,
/// however many cells there may be.
TEST(FriendsOfFriends, AreThoseOfAllPairsInSmallBoxes) {
  constexpr double side = 3;
  const Threads team(1);
  std::mt19937_64 numbers(5);
  std::uniform_real_distribution<double> uniform(0, side);
  std::vector<std::vector<Vec3d>> cases;
  for (std::size_t count = 3; count < 40; ++count) {
    cases.emplace_back(count);
    for (Vec3d& x : cases.back()) x = {uniform(numbers), uniform(numbers), uniform(numbers)};
  }
  for (int cells = 1; cells < 30; ++cells) {
    const double near = 1e-6, far = side / cells - 1e-6;
    cases.push_back({{near, near, near}, {far, far, far}});
  }
  for (const std::vector<Vec3d>& position : cases) {
    std::vector<std::uint64_t> id(position.size());
    std::iota(id.begin(), id.end(), 0U);
    for (const double lengths : {1.0, 1.7, 2.5, 3.9, 5.9, 6.99, 7.01, 9.0}) {
      for (const double period : {0.0, side})
        ASSERT_EQ(groups_of(position, side / lengths, period),
                  test::brute_friends(position, id, side / lengths, period))
            << position.size() << ' ' << lengths << ' ' << period;
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

TEST(FriendsOfFriends, AreThoseOfAllPairsWithAnyNumberOfThreads) {
  constexpr double side = 5;
  ParticleStore random = test::clumpy_box(4000, side, 21), clumpy = random;
  std::mt19937_64 numbers(7);
  std::uniform_real_distribution<double> uniform(0, side);
  for (Vec3d& x : random.position) x = {uniform(numbers), uniform(numbers), uniform(numbers)};
  for (const ParticleStore* p : {&random, &clumpy}) {
    for (const double length : {0.05, 0.2, 0.3}) {
      const auto expected = test::brute_friends(p->position, p->id, length, side);
      for (const int threads : {1, 2, 5, 16}) {
        const Threads team(threads);
        const FriendGroups found = friends_of_friends(p->position, p->id, DomainMap(), {length, side});
        EXPECT_EQ(test::group_of_each(found), expected) << length << ' ' << threads;
      }
    }
  }
}

/// Far more particles than a thread takes at a time: chains parallel to x that cross the periodic face, their particles
/// in random order.
TEST(FriendsOfFriends, ManyChainsWithAnyNumberOfThreads) {
  constexpr std::size_t chains = 300, links = 700;
  std::vector<std::size_t> order(chains * links);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(3));
  std::vector<Vec3d> position(order.size());
  std::vector<std::uint64_t> expected(order.size());
  std::vector<std::uint64_t> least(chains, order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t chain = order[i] / links, link = order[i] % links;
    const double x = 9 + 2e-3 * static_cast<double>(link);
    position[i] = {x < 10 ? x : x - 10, 0.5 * static_cast<double>(chain % 20), 0.5 * static_cast<double>(chain / 20)};
    least[chain] = std::min<std::uint64_t>(least[chain], i);
  }
  for (std::size_t i = 0; i < order.size(); ++i) expected[i] = least[order[i] / links];
  for (const int threads : {1, 2, 5}) {
    const Threads team(threads);
    EXPECT_EQ(groups_of(position, 3e-3, 10), expected) << threads;
  }
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
