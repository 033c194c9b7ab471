// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that are numbers, texts that are not, and numbers as texts.
#include <gtest/gtest.h>

#include "host/text/plain_number.hpp"

namespace multiwalk {
namespace {

TEST(PlainNumber, TheWholeTextOrNothing) {
  EXPECT_EQ(number_in("0.5"), 0.5);
  EXPECT_EQ(number_in("+1e-3"), 1e-3);
  EXPECT_EQ(number_in("-2E5"), -2e5);
  for (const char* text : {"", "+", "+-1", "0,5", "1.5x", " 1", "1 ", "0x10", "1e999", "one"}) {
    EXPECT_FALSE(number_in(text)) << text;
  }
}

TEST(PlainNumber, SixDigits) {
  EXPECT_EQ(multiwalk::text_of(0.5), "0.5");
  EXPECT_EQ(multiwalk::text_of(1.0 / 3), "0.333333");
  EXPECT_EQ(multiwalk::text_of(-6.02214076e23), "-6.02214e+23");
}

}  // namespace
}  // namespace multiwalk
