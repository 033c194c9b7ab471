// SPDX-License-Identifier: GPL-3.0-or-later
// Samples against all hashes in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/sums/sampling.hpp"
#include "host/base/hash.hpp"

namespace multiwalk {
namespace {

/// The indices of the particles with the lowest hashes; of equal ones the first.
std::vector<std::uint32_t> lowest_hashes(const std::vector<std::uint64_t>& id, const Sample& sample) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> hashes;
  for (std::uint32_t i = 0; i < id.size(); ++i) hashes.emplace_back(mix_bits(id[i] ^ mix_bits(sample.seed)), i);
  std::ranges::sort(hashes);
  hashes.resize(std::min<std::size_t>(hashes.size(), sample.size));
  std::vector<std::uint32_t> index;
  for (const auto& [hash, i] : hashes) index.push_back(i);
  std::ranges::sort(index);
  return index;
}

TEST(Sampling, TakesTheLowestHashes) {
  std::vector<std::uint64_t> id(300000);
  std::iota(id.begin(), id.end(), 7U);
  for (const std::uint64_t size : {0U, 1U, 10U, 1000U, 150000U, 299999U, 300000U, 400000U}) {
    for (const std::uint64_t seed : {1U, 2U}) {
      EXPECT_EQ(sample_by_id(id, {size, seed}), lowest_hashes(id, {size, seed})) << size << ' ' << seed;
    }
  }
}

/// Ids whose hashes are not spread evenly: the most likely limit finds too few, or far too many.
TEST(Sampling, TakesTheLowestHashesOfAnyIds) {
  for (const bool high : {false, true}) {
    std::vector<std::uint64_t> id;
    for (std::uint64_t i = 0; id.size() < 2000; ++i)
      if ((mix_bits(i ^ mix_bits(4)) >> 60 > 11) == high) id.push_back(i);
    for (const std::uint64_t size : {1U, 100U, 1999U}) {
      EXPECT_EQ(sample_by_id(id, {size, 4}), lowest_hashes(id, {size, 4})) << size << ' ' << high;
    }
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
