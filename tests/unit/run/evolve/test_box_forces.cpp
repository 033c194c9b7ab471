// SPDX-License-Identifier: GPL-3.0-or-later
// Presets of forces in periodic boxes: what they choose.
#include <gtest/gtest.h>

#include "host/base/error.hpp"
#include "run/evolve/box_forces.hpp"

namespace multiwalk {
namespace {

TEST(BoxForces, MeshesGrowWithTheParticlesAndFitTheCutOff) {
  const GravityOptions walks;
  EXPECT_EQ(resolve_box_forces({Accuracy::fast}, walks, 64 * 64 * 64, 10).mesh.cells, 96U);
  EXPECT_EQ(resolve_box_forces({Accuracy::reference}, walks, 64 * 64 * 64, 10).mesh.cells, 108U);
  EXPECT_EQ(resolve_box_forces({Accuracy::standard}, walks, 64 * 64 * 64, 10).mesh.cells, 96U);
  for (const std::uint64_t particles : {1U, 8U, 1000U}) {
    const BoxForces few = resolve_box_forces({}, walks, particles, 10);
    EXPECT_LE(few.split.cutoff, 0.3125 * 10);
    EXPECT_NEAR(few.split.cutoff / few.split.scale, 5.8, 1e-12);
  }
}

TEST(BoxForces, WhatIsGivenIsTaken) {
  GravityOptions walks;
  walks.mac = Mac::barnes90;
  const BoxForces given = resolve_box_forces({Accuracy::custom, 40, 1.5, 5}, walks, 1000, 8);
  EXPECT_EQ(given.mesh.cells, 40U);
  EXPECT_DOUBLE_EQ(given.split.scale, 1.5 * 8 / 40);
  EXPECT_DOUBLE_EQ(given.split.cutoff, 5 * 1.5 * 8 / 40);
  EXPECT_EQ(given.walks.mac, Mac::barnes90);
  EXPECT_EQ(resolve_box_forces({Accuracy::fast}, walks, 1000, 8).walks.mac, Mac::relative);
  EXPECT_THROW(resolve_box_forces({Accuracy::custom, 20, 1.5, 5}, walks, 1000, 8), InputError);
  EXPECT_NO_THROW(resolve_box_forces({Accuracy::custom, 40, 1.5, 3}, walks, 1000, 8));
  EXPECT_THROW(resolve_box_forces({Accuracy::custom, 40, 1.5, 2.9}, walks, 1000, 8), InputError);
}

}  // namespace
}  // namespace multiwalk
