// SPDX-License-Identifier: GPL-3.0-or-later
// What devices of several ranks send each other by MPI.
#include <gtest/gtest.h>

#include <algorithm>

#include "decomposition/essential_trees/tree_exchange_over_ranks.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

/// A different number of bytes for each pair of ranks, none for some.
std::vector<std::byte> message(std::size_t from, std::size_t to) {
  return std::vector<std::byte>(1000 * (from % 3) + 7 * to, static_cast<std::byte>(16 * from + to + 1));
}

TEST(TreeExchangeOverRanks, GathersArraysOfAnyLength) {
  EssentialStatistics statistics;
  TreeExchangeOverRanks exchange(world(), statistics);
  const std::size_t rank = exchange.rank();
  const std::vector<double> mine(rank % 2 == 0 ? 10 * rank : 0, static_cast<double>(rank) + 0.5);
  const auto all = exchange.gather_arrays(std::span<const double>(mine));
  ASSERT_EQ(all.size(), exchange.ranks());
  for (std::size_t r = 0; r < all.size(); ++r) {
    EXPECT_EQ(all[r].size(), r % 2 == 0 ? 10 * r : 0);
    EXPECT_TRUE(std::ranges::all_of(all[r], [&](double x) { return x == static_cast<double>(r) + 0.5; }));
  }
}

TEST(TreeExchangeOverRanks, GathersAsManyValuesFromEachRank) {
  EssentialStatistics statistics;
  TreeExchangeOverRanks exchange(world(), statistics);
  const std::size_t rank = exchange.rank();
  const std::vector<double> mine{static_cast<double>(rank), 7, 100.0 - static_cast<double>(rank)};
  const std::vector<double> all = exchange.gather_rows(std::span<const double>(mine));
  ASSERT_EQ(all.size(), 3 * exchange.ranks());
  for (std::size_t r = 0; r < exchange.ranks(); ++r) {
    EXPECT_EQ(all[3 * r], static_cast<double>(r));
    EXPECT_EQ(all[3 * r + 1], 7);
    EXPECT_EQ(all[3 * r + 2], 100.0 - static_cast<double>(r));
  }
  EXPECT_EQ(exchange.gather(rank).back(), exchange.ranks() - 1);
}

TEST(TreeExchangeOverRanks, TransfersEachPairsBytesAndRecordsThem) {
  EssentialStatistics statistics;
  TreeExchangeOverRanks exchange(world(), statistics);
  const std::size_t rank = exchange.rank(), ranks = exchange.ranks();
  std::vector<std::vector<std::byte>> sent(ranks), received(ranks);
  std::vector<std::span<const std::byte>> out(ranks);
  std::vector<std::span<std::byte>> in(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    sent[r] = message(rank, r);
    received[r].resize(message(r, rank).size());
    out[r] = sent[r];
    in[r] = received[r];
  }
  exchange.transfer(out, in);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    EXPECT_EQ(received[r], message(r, rank));
  }
  exchange.record({.nodes_sent = 5, .particles_received = 3, .bytes_received = 9});
  EXPECT_EQ(statistics.nodes_sent, 5U);
  EXPECT_EQ(statistics.particles_received, 3U);
  EXPECT_EQ(statistics.bytes_received, 9U);
  EXPECT_EQ(statistics.ranks_near, ranks - 1);
}

}  // namespace
}  // namespace multiwalk
