// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "decomposition/ranks/quantile.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

/// Values of both signs over many decades, many of them equal.
std::vector<double> some_values(int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(std::sin(i % 97) * std::pow(10.0, i % 31 - 15));
  return values;
}

TEST(Quantile, IsTheOrderStatisticOfAllRanks) {
  const std::vector<double> all = some_values(1001);
  std::vector<double> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {  // the last rank has none
    if (static_cast<int>(i) % std::max(world().size() - 1, 1) == world().rank()) mine.push_back(all[i]);
  }
  std::vector<double> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  for (double fraction : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
    const auto k = std::min<std::size_t>(static_cast<std::size_t>(fraction * 1001), 1000);
    EXPECT_EQ(quantile(world(), mine, fraction), sorted[k]) << fraction;
  }
}

TEST(Quantile, OfNothingAndOfExtremes) {
  EXPECT_EQ(quantile(world(), {}, 0.5), 0);
  const std::vector<double> one(world().root() ? 1 : 0, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(quantile(world(), one, 0.5), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace multiwalk
