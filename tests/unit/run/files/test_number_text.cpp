// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them.
#include <gtest/gtest.h>

#include <cmath>

#include "run/files/number_text.hpp"

namespace multiwalk {
namespace {

TEST(NumberText, ReadsWell) {
  EXPECT_EQ(with_commas(1234567.4), "1,234,567");
  EXPECT_EQ(with_commas(-999), "-999");
  EXPECT_EQ(scientific(2.583082e15), "2.58 × 10¹⁵");
  EXPECT_EQ(scientific(9.999e-5), "1.00 × 10⁻⁴");
  EXPECT_EQ(scientific(0.0123), "0.0123");
  EXPECT_EQ(scientific(12345), "12,345");
  EXPECT_EQ(scientific(NAN), "-");
  EXPECT_EQ(with_prefix(2.4e6), "2.40 M");
  EXPECT_EQ(with_prefix(999.9e3), "1.00 M");
  EXPECT_EQ(duration(0.05), "50 ms");
  EXPECT_EQ(duration(59.99), "1 min 00 s");
  EXPECT_EQ(duration(7500), "2 h 05 min");
  EXPECT_EQ(duration(INFINITY), "-");
}

}  // namespace
}  // namespace multiwalk
