// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "run/files/printable.hpp"

namespace multiwalk {
namespace {

using namespace std::string_view_literals;

TEST(Printable, TextStaysAsItIs) {
  for (const std::string_view text : {""sv, "run/snapshot_000.hdf5"sv, "Größe, 宇宙, 🌌, \u00a0"sv}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ControlCharactersAreNamed) {
  EXPECT_EQ(printable("two\nlines\r\x1b[31m\x7f\t\0."sv), R"(two\nlines\x0d\x1b[31m\x7f\x09\x00.)");
  EXPECT_EQ(printable("\u0080 \u009b31m"), R"(\xc2\x80 \xc2\x9b31m)");  // 8-bit forms of escape sequences
}

TEST(Printable, BytesThatAreNoTextAreNamed) {
  EXPECT_EQ(printable("a\x9b"
                      "31m"),
            R"(a\x9b31m)");
  EXPECT_EQ(printable("\xc3"), R"(\xc3)");                  // ends within a character
  EXPECT_EQ(printable("\xc0\x8a"), R"(\xc0\x8a)");          // a newline, written with two bytes
  EXPECT_EQ(printable("\xe0\x80\x8a"), R"(\xe0\x80\x8a)");  // with three
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)");  // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)");
}

}  // namespace
}  // namespace multiwalk
