// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "run/evolve/block_watch.hpp"

namespace multiwalk {
namespace {

/// A copy of 512^3 particles from a GPU takes 2 to 3 s, their blocks 0.8 s early and 4 s late.
TEST(StartOfBlock, IsKeptWhereACopyCostsLittle) {
  EXPECT_TRUE(start_is_worth_keeping(false, 0, 0));
  EXPECT_TRUE(start_is_worth_keeping(false, 0.8, 100));
  EXPECT_FALSE(start_is_worth_keeping(true, 0, 0)) << "the first block";
  EXPECT_FALSE(start_is_worth_keeping(true, 0.8, 0));
  EXPECT_FALSE(start_is_worth_keeping(true, 4, 2.3));
  EXPECT_TRUE(start_is_worth_keeping(true, 2.1, 0)) << "how long a copy takes is not known yet";
  EXPECT_TRUE(start_is_worth_keeping(true, 60, 2.3));
}

}  // namespace
}  // namespace multiwalk
