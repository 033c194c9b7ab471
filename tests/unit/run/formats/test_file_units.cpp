// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "run/formats/file_units.hpp"

namespace multiwalk {
namespace {

TEST(FileUnits, NamesAndNumbers) {
  const auto length = [](const char* text) { return parse_file_unit(text, Dimension::length).value(); };
  EXPECT_DOUBLE_EQ(length("kpc/h").cgs, 3.0856775814913673e21);
  EXPECT_TRUE(length("kpc/h").over_h);
  EXPECT_DOUBLE_EQ(length(" 2 Mpc ").cgs, 2 * 3.0856775814913673e24);
  EXPECT_FALSE(length("2 Mpc").over_h);
  EXPECT_DOUBLE_EQ(length("3.085678e21").cgs, 3.085678e21);
  EXPECT_TRUE(length("3.085678e21").over_h);  // as UnitLength_in_cm
  const FileUnit mass = parse_file_unit("1e10 Msun/h", Dimension::mass).value();
  EXPECT_DOUBLE_EQ(mass.cgs, 1.98841e43);
  EXPECT_TRUE(mass.over_h);
  const FileUnit velocity = parse_file_unit("1e5", Dimension::velocity).value();
  EXPECT_DOUBLE_EQ(velocity.cgs, parse_file_unit("km/s", Dimension::velocity)->cgs);
  EXPECT_FALSE(velocity.over_h);
}

TEST(FileUnits, OthersAreNone) {
  for (const char* text :
       {"", " ", "parsec", "kpc/h/h", "-1 kpc", "0", "nan", "inf", "1e999", "1e10 Msun", "km/s", "3 4"})
    EXPECT_FALSE(parse_file_unit(text, Dimension::length)) << text;
  EXPECT_FALSE(parse_file_unit("km/s/h", Dimension::velocity));
  EXPECT_FALSE(parse_file_unit("kpc", Dimension::mass));
}

TEST(FileUnits, PowersOfH) {
  const GivenUnits given{{3e24, false}, {2e43, true}, {1e5, false}};
  EXPECT_EQ(given.with(0.5), (GadgetUnits{1.5e24, 2e43, 1e5}));
}

}  // namespace
}  // namespace multiwalk
