// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "host/base/error.hpp"

namespace multiwalk {
namespace {

TEST(Error, NamesItsPlaceInTheSourceAndNotWhereItWasBuilt) {
  const Error error("a call failed");
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(std::string(error.what()), "a call failed [tests/unit/host/base/test_error.cpp:" + line + "]");
}

}  // namespace
}  // namespace multiwalk
