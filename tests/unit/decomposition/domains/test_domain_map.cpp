// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "decomposition/domains/domain_map.hpp"

namespace multiwalk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ChooseGrid, MultipliesToAnyNumberOfRanks) {
  for (int ranks = 1; ranks <= 200; ++ranks) {
    const DomainGrid grid = choose_grid(ranks, {3, 1, 2});
    EXPECT_EQ(grid[0] * grid[1] * grid[2], ranks);
  }
}

TEST(ChooseGrid, FollowsTheAspect) {
  EXPECT_EQ(choose_grid(8, {1, 1, 1}), (DomainGrid{2, 2, 2}));
  EXPECT_EQ(choose_grid(12, {1, 1, 1}), (DomainGrid{3, 2, 2}));
  EXPECT_EQ(choose_grid(7, {1, 1, 1}), (DomainGrid{7, 1, 1}));
  EXPECT_EQ(choose_grid(2, {0.999, 1, 0.998}), (DomainGrid{2, 1, 1}));
  EXPECT_EQ(choose_grid(4, {0.999, 1, 1.001}), (DomainGrid{2, 2, 1}));
  EXPECT_EQ(choose_grid(7, {1, 1, 9}), (DomainGrid{1, 1, 7}));
  EXPECT_EQ(choose_grid(16, {4, 2, 2}), (DomainGrid{4, 2, 2}));
  EXPECT_EQ(choose_grid(9, {1, 0, 1}), (DomainGrid{3, 1, 3}));
  EXPECT_EQ(choose_grid(6, {0, 5, 0}), (DomainGrid{1, 6, 1}));
  EXPECT_EQ(choose_grid(32768, {1, 1, 1}), (DomainGrid{32, 32, 32}));
  EXPECT_EQ(choose_grid(8, {0, 0, 0}), (DomainGrid{2, 2, 2}));
}

TEST(PartAmong, CountsTheCutsAtOrBelow) {
  std::vector<double> cuts;
  for (int n = 0; n < 40; ++n) {
    for (double x = -1; x < 41; x += 0.5) {
      const auto expected = std::upper_bound(cuts.begin(), cuts.end(), x) - cuts.begin();
      ASSERT_EQ(part_among(cuts, x), static_cast<std::size_t>(expected)) << n << ' ' << x;
    }
    EXPECT_EQ(part_among(cuts, -infinity), 0U);
    EXPECT_EQ(part_among(cuts, infinity), cuts.size());
    cuts.push_back(n % 7 == 3 && n > 0 ? cuts.back() : n);
  }
}

DomainMap some_map() {
  return {{2, 3, 2}, {0}, {-1, 1, -2, 2}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
}

TEST(DomainMap, BoxesAndOwnersAgree) {
  const DomainMap map = some_map();
  ASSERT_TRUE(map.consistent());
  std::set<int> met;
  for (double x : {-infinity, -3.0, -0.0, 0.0, 1e300, infinity})
    for (double y : {-infinity, -2.0, -1.0, std::nextafter(1.0, 0.0), 1.0, 2.0, infinity})
      for (double z : {-infinity, 0.1, 0.15, 0.2, 0.3, 0.35, 0.45, 0.5, 0.6, infinity}) {
        const int owner = map.rank_of({x, y, z});
        met.insert(owner);
        int owners = 0;
        for (int rank = 0; rank < map.ranks(); ++rank) {
          const Box box = map.box(rank);
          const auto within = [](double lo, double v, double hi) {
            return lo <= v && (v < hi || (v == infinity && hi == infinity));
          };
          if (!within(box.lo.x, x, box.hi.x) || !within(box.lo.y, y, box.hi.y) || !within(box.lo.z, z, box.hi.z))
            continue;
          ++owners;
          EXPECT_EQ(rank, owner);
        }
        EXPECT_EQ(owners, 1) << x << ' ' << y << ' ' << z;
      }
  EXPECT_EQ(met.size(), 12U);
}

TEST(DomainMap, ACutBelongsToTheUpperSide) {
  const DomainMap map{{2, 1, 1}, {0.5}, {}, {}};
  EXPECT_EQ(map.rank_of({0.5, 0, 0}), 1);
  EXPECT_EQ(map.rank_of({std::nextafter(0.5, 0.0), 0, 0}), 0);
}

TEST(DomainMap, EqualCutsLeaveNothingBetween) {
  const DomainMap map{{3, 1, 1}, {1, 1}, {}, {}};
  EXPECT_TRUE(map.consistent());
  EXPECT_EQ(map.rank_of({1, 0, 0}), 2);
  EXPECT_EQ(map.rank_of({0.9, 0, 0}), 0);
}

TEST(DomainMap, DamageIsSeen) {
  EXPECT_TRUE(DomainMap{}.consistent());
  DomainMap map = some_map();
  map.y[1] = -1.5;
  EXPECT_FALSE(map.consistent());
  map = some_map();
  map.z.pop_back();
  EXPECT_FALSE(map.consistent());
  map = some_map();
  map.x[0] = std::nan("");
  EXPECT_FALSE(map.consistent());
  map = some_map();
  map.grid = {2, 2, 3};
  EXPECT_FALSE(map.consistent());
  map.grid = {0, 1, 1};
  EXPECT_FALSE(map.consistent());
}

}  // namespace
}  // namespace multiwalk
