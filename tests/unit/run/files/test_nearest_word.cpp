// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "run/files/nearest_word.hpp"

namespace multiwalk {
namespace {

TEST(NearestWord, SlipsAreCounted) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("theta", "thetta"), 1U);
  EXPECT_EQ(edit_distance("rnu", "run"), 1U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // of optimal string alignment; 2 if letters in between may be added
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance(std::string(1000000, 'x'), "x"), 99U);
}

TEST(NearestWord, OnlyNearWordsAreNamed) {
  constexpr std::array<std::string_view, 4> words{"image_pixels", "halos", "power", "seed"};
  EXPECT_EQ(nearest_word("image_pixles", words), "image_pixels");
  EXPECT_EQ(nearest_word("halo", words), "halos");
  EXPECT_EQ(nearest_word("sead", words), "seed");
  EXPECT_EQ(nearest_word("merger_trees", words), "");
  EXPECT_EQ(nearest_word("saad", words), "");
  EXPECT_EQ(nearest_word("x", {}), "");
}

}  // namespace
}  // namespace multiwalk
