// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/larger_error.hpp"

namespace multiwalk {
namespace {

TEST(LargerError, NanIsTheLargest) {
  EXPECT_EQ(larger_error(1, 2), 2);
  EXPECT_EQ(larger_error(2, 1), 2);
  EXPECT_EQ(larger_error(1, std::nan("")), INFINITY);
  EXPECT_EQ(larger_error(larger_error(1, std::nan("")), 2), INFINITY);
}

}  // namespace
}  // namespace multiwalk
