// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of results is used again, and little of it is kept.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "run/python/result_memory.hpp"

namespace multiwalk {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

TEST(ResultMemory, IsUsedAgainForResultsOfNearlyTheSameSize) {
  ResultMemory memory(100 * megabyte);
  void* const first = memory.allocate(10 * megabyte);
  void* const second = memory.allocate(10 * megabyte);
  EXPECT_NE(first, second);
  memory.deallocate(first);
  EXPECT_NE(memory.allocate(5 * megabyte), first);   // it would waste half
  EXPECT_NE(memory.allocate(11 * megabyte), first);  // too small
  EXPECT_EQ(memory.allocate(9 * megabyte), first);
  EXPECT_EQ(memory.kept_bytes(), 0U);
}

TEST(ResultMemory, KeepsAtMostFourBlocksAndSoManyBytes) {
  ResultMemory memory(35 * megabyte);
  std::array<void*, 6> small{}, large{};
  for (void*& block : small) block = memory.allocate(megabyte);
  for (void*& block : large) block = memory.allocate(10 * megabyte);
  EXPECT_EQ(std::set<void*>(small.begin(), small.end()).size(), small.size());
  for (void* block : small) memory.deallocate(block);
  EXPECT_EQ(memory.kept_bytes(), 4 * megabyte);
  for (void* block : large) memory.deallocate(block);
  EXPECT_EQ(memory.kept_bytes(), 30 * megabyte);
  EXPECT_EQ(memory.allocate(10 * megabyte), large[3]);  // the oldest were freed
}

}  // namespace
}  // namespace multiwalk
