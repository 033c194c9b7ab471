// SPDX-License-Identifier: GPL-3.0-or-later
// Freed blocks are used again for arrays of nearly their size, the smallest that fits first.
#include <gtest/gtest.h>

#include <cstdlib>

#include "host/base/kept_blocks.hpp"

namespace multiwalk {
namespace {

struct FreeBlock {
  void operator()(void* data) const { std::free(data); }
};
using Blocks = KeptBlocks<FreeBlock>;

Blocks::Block made(std::size_t bytes) {
  return {std::unique_ptr<void, FreeBlock>(std::malloc(bytes)), bytes};
}
Blocks::Block refused(std::size_t) {
  return {};
}
std::size_t all(std::size_t) {
  return 1 << 20;
}

TEST(KeptBlocks, TakeTheSmallestThatFits) {
  Blocks blocks;
  void* const large = blocks.take(1200, made);
  void* const small = blocks.take(1000, made);
  EXPECT_TRUE(blocks.give_back(large, all));
  EXPECT_TRUE(blocks.give_back(small, all));
  EXPECT_EQ(blocks.kept_bytes(), 2200U);
  EXPECT_EQ(blocks.take(990, refused), small);
  EXPECT_EQ(blocks.take(990, refused), large);
  EXPECT_EQ(blocks.take(990, refused), nullptr);
  EXPECT_EQ(blocks.kept_bytes(), 0U);
  EXPECT_FALSE(blocks.give_back(&blocks, all));
}

TEST(KeptBlocks, AreFreedBeyondTheLimitThatFollowsFromThoseInUse) {
  Blocks blocks;
  const auto half = [](std::size_t used) { return used / 2; };
  void* const first = blocks.take(100, made);
  void* const second = blocks.take(100, made);
  void* const third = blocks.take(100, made);
  EXPECT_TRUE(blocks.give_back(first, half));
  EXPECT_EQ(blocks.kept_bytes(), 100U);  // 200 are in use
  EXPECT_TRUE(blocks.give_back(second, half));
  EXPECT_EQ(blocks.kept_bytes(), 0U);
  EXPECT_TRUE(blocks.give_back(third, all));
  EXPECT_EQ(blocks.kept_bytes(), 100U);
}

}  // namespace
}  // namespace multiwalk
