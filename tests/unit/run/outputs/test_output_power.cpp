// SPDX-License-Identifier: GPL-3.0-or-later
// Spectra at outputs: what mesh they take.
#include <gtest/gtest.h>

#include <cmath>

#include "run/outputs/power_output.hpp"

namespace multiwalk {
namespace {

TEST(OutputPower, TakesTheMeshOfTheForcesWhereItsOwnIsLarge) {
  EXPECT_EQ(output_power_options(64 * 64 * 64, 64).mesh, 128U);
  EXPECT_EQ(output_power_options(64 * 64 * 64, 0).mesh, 128U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 30, 1024).mesh, 1024U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 24, 384).mesh, 384U);
  EXPECT_EQ(output_power_options(std::uint64_t{1} << 24, 0).mesh, 256U);
}

}  // namespace
}  // namespace multiwalk
