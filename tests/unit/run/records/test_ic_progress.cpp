// SPDX-License-Identifier: GPL-3.0-or-later
// Messages while a model is made.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run/records/ic_progress.hpp"

namespace multiwalk {
namespace {

TEST(IcProgress, SaysEachPartOnceAndHowLongItTook) {
  std::vector<std::string> said;
  IcProgress progress([&](const std::string& text) { said.push_back(text); });
  progress.report("sites", 0);
  progress.report("the table ends early", -1);
  progress.report("field", 0);
  progress.report("field", 0.5);
  progress.finish();
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(said[0], "initial conditions: sites");
  EXPECT_EQ(said[1], "WARNING: the table ends early");
  EXPECT_EQ(said[2].find("initial conditions: field (sites took "), 0U);
  EXPECT_EQ(said[3].find("initial conditions: made in "), 0U);
  EXPECT_NE(said[3].find("(field took "), std::string::npos);
  ASSERT_EQ(progress.parts().size(), 2U);
  EXPECT_EQ(progress.parts()[1].part, "field");
  EXPECT_GE(progress.parts()[1].seconds, 0);
}

TEST(IcProgress, SaysNothingOfWhatHasNoParts) {
  IcProgress progress([](const std::string& text) { ADD_FAILURE() << text; });
  progress.finish();
  EXPECT_TRUE(progress.parts().empty());
}

}  // namespace
}  // namespace multiwalk
