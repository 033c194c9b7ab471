// SPDX-License-Identifier: GPL-3.0-or-later
// Passes over arrays that threads share, against plain loops.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "host/base/large_memory.hpp"
#include "host/base/parallel_arrays.hpp"

namespace multiwalk {
namespace {

const std::size_t sizes[] = {0, 1, array_stretch - 1, array_stretch, 3 * array_stretch + 5};

bool wanted(std::size_t i) {
  return i % 3 == 0 || i % 7 == 5;
}

TEST(ParallelArrays, SelectionKeepsTheOrder) {
  for (const std::size_t n : sizes) {
    std::vector<std::size_t> expected, found;
    for (std::size_t i = 0; i < n; ++i)
      if (wanted(i)) expected.push_back(i);
    select_in_order(
        n, wanted, [&](std::size_t count) { found.resize(count); },
        [&](std::size_t place, std::size_t i) { found.at(place) = i; });
    EXPECT_EQ(found, expected) << n;
  }
}

TEST(ParallelArrays, RunningSumsAreThoseOfALoop) {
  for (const std::size_t n : sizes) {
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i * i % 11);
    std::vector<std::uint32_t> expected(n);
    std::partial_sum(values.begin(), values.end(), expected.begin());
    running_sum(std::span(values));
    EXPECT_EQ(values, expected) << n;
  }
}

TEST(ParallelArrays, TheLowestOfAllThreadsStays) {
  LargeArray<std::uint64_t> least(16);
  fill_parallel(std::span(least), std::uint64_t{1000000});
#pragma omp parallel for num_threads(4)
  for (std::uint64_t i = 0; i < 300000; ++i) lower_atomically(least[i % 16], 400000 - i);
  for (std::uint64_t k = 0; k < 16; ++k) EXPECT_EQ(least[k], 400000 - (299984 + k)) << k;
}

}  // namespace
}  // namespace multiwalk
