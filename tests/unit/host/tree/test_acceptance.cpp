// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "host/tree/acceptance.hpp"
#include "host/tree/gravity_options.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk {
namespace {

constexpr CellShape cell{2, {1, 1, 1}, {1.25, 1, 1}};

TEST(OpeningCriterion, OpensWithinItsOwnRadius) {
  EXPECT_DOUBLE_EQ((OpeningCriterion{Mac::bh86, 0.5}.opening_radius(cell)), 4);
  EXPECT_DOUBLE_EQ((OpeningCriterion{Mac::barnes90, 0.5}.opening_radius(cell)), 4);
  EXPECT_DOUBLE_EQ((OpeningCriterion{Mac::offset, 0.5}.opening_radius(cell)), 4.25);
  EXPECT_DOUBLE_EQ((OpeningCriterion{Mac::relative, 0.5}.opening_radius(cell)), 2);
}

TEST(OpeningCriterion, UsesCellsUpToTheLargestSideAtADistance) {
  for (const Mac mac : {Mac::bh86, Mac::barnes90, Mac::relative}) {
    const OpeningCriterion criterion{mac, 0.5};
    EXPECT_DOUBLE_EQ(criterion.largest_side(criterion.opening_radius(cell)), cell.side);
  }
}

/// G M s^2/d^4 < alpha |a| where d^2 > strength x scale.
TEST(OpeningCriterion, ComparesPullsWithTheAccelerationsOfTheStepBefore) {
  const OpeningCriterion criterion{.mac = Mac::relative, .alpha = 0.01};
  const double distance2 = OpeningCriterion::strength(3, 5, 2) * criterion.scale(7);
  EXPECT_NEAR(3 * 5 * 2 * 2 / (distance2 * distance2), 0.01 * 7, 1e-12);
  EXPECT_GT(criterion.scale(0), 1e100) << "without an acceleration every cell is opened";
}

TEST(OpeningCriterion, StartsWithoutAccelerationsByAnglesThatAreNotWide) {
  const OpeningCriterion start = OpeningCriterion{.mac = Mac::relative, .theta = 1.5}.without_accelerations();
  EXPECT_FALSE(start.relative());
  EXPECT_DOUBLE_EQ(start.theta, 0.7);
}

TEST(OpeningCriterion, LetsAGroupShareAListUnlessParticlesWalkSingly) {
  GravityOptions options;
  EXPECT_EQ(options.most_in_group(512), 512U);
  options.group_size = 64;
  EXPECT_EQ(options.most_in_group(512), 64U);
  options.mac = Mac::bh86;
  EXPECT_EQ(options.most_in_group(512), 1U);
}

TEST(OpeningRadius, IsThatOfTheCellOrOfTheBoxAroundIt) {
  const OpeningCriterion criterion{Mac::offset, 0.5};
  const Cube vacuum{{0, 0, 0}, 8}, periodic{{0, 0, 0}, 8, true};
  EXPECT_FLOAT_EQ(opening_radius(vacuum, cell, criterion), 4.25F);
  EXPECT_FLOAT_EQ(opening_radius(vacuum, Box{{0, 0.5, 0}, {2, 1.5, 2}}, {1.25, 1, 1}, criterion), 4.25F);
  EXPECT_TRUE(std::isinf(opening_radius(periodic, cell, criterion))) << "larger than a walk may use in a box";
}

}  // namespace
}  // namespace multiwalk
