// SPDX-License-Identifier: GPL-3.0-or-later
// Samples against all hashes in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/sums/sampling.hpp"
#include "host/base/hash.hpp"

namespace multiwalk {
namespace {

/// All indices by rising hash; equal ones in their order.
std::vector<std::uint32_t> by_hash(const std::vector<std::uint64_t>& id, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> hashes;
  for (std::uint32_t i = 0; i < id.size(); ++i) hashes.emplace_back(mix_bits(id[i] ^ mix_bits(seed)), i);
  std::ranges::sort(hashes);
  std::vector<std::uint32_t> index;
  for (const auto& [hash, i] : hashes) index.push_back(i);
  return index;
}

void expect_lowest(const std::vector<std::uint64_t>& id, std::uint64_t seed, const std::vector<std::uint64_t>& sizes) {
  const std::vector<std::uint32_t> all = by_hash(id, seed);
  for (const std::uint64_t size : sizes) {
    std::vector<std::uint32_t> lowest(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(size, all.size())));
    std::ranges::sort(lowest);
    EXPECT_EQ(sample_by_id(id, {size, seed}), lowest) << size << ' ' << seed;
  }
}

TEST(Sampling, TakesTheLowestHashes) {
  std::vector<std::uint64_t> id(140000);
  std::iota(id.begin(), id.end(), 7U);
  expect_lowest(id, 1, {0, 1, 10, 1000, 70000, 139999, 140000, 200000});
  expect_lowest(id, 2, {1, 1000});
}

/// Ids whose hashes are not spread evenly: the most likely limit finds too few, or far too many.
TEST(Sampling, TakesTheLowestHashesOfAnyIds) {
  for (const bool high : {false, true}) {
    std::vector<std::uint64_t> id;
    for (std::uint64_t i = 0; id.size() < 2000; ++i)
      if ((mix_bits(i ^ mix_bits(4)) >> 60 > 11) == high) id.push_back(i);
    expect_lowest(id, 4, {1, 100, 1999});
  }
}

TEST(Sampling, TakesTheFirstOfEqualIds) {
  const std::vector<std::uint64_t> id(5000, 3);
  std::vector<std::uint32_t> first(70);
  std::iota(first.begin(), first.end(), 0U);
  EXPECT_EQ(sample_by_id(id, {70, 1}), first);
}

}  // namespace
}  // namespace multiwalk
