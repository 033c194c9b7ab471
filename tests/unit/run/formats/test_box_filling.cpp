// SPDX-License-Identifier: GPL-3.0-or-later
// Coordinates in another unit than their box are noticed; zooms, drifted particles and isolated systems pass.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/formats/box_filling.hpp"

namespace multiwalk {
namespace {

constexpr double side = 50;

/// A lattice of 16^3 points whose coordinates are multiplied by `unit` and moved by `shift`.
std::vector<Vec3d> lattice(double unit, double shift = 0) {
  std::vector<Vec3d> x;
  for (int i = 0; i < 4096; ++i) {
    const Vec3d place{i % 16 + 0.5, i / 16 % 16 + 0.5, i / 256 + 0.5};
    x.push_back(unit * (side / 16 * place + Vec3d{shift, shift, shift}));
  }
  return x;
}

std::string judged(const std::vector<Vec3d>& x, bool full_mass = true) {
  BoxFilling filling(side);
  for (const Vec3d& each : x) filling.add(each);
  return filling.judge("file", full_mass);
}

TEST(BoxFilling, BoxesAreAcceptedHoweverTheyAreWrapped) {
  EXPECT_EQ(judged(lattice(1)), "");
  EXPECT_EQ(judged(lattice(1, -side / 2)), "");   // centred on the origin
  EXPECT_EQ(judged(lattice(1, 0.9 * side)), "");  // never wrapped
  std::vector<Vec3d> drifted = lattice(1);
  for (std::size_t i = 0; i < drifted.size(); i += 2) drifted[i] += Vec3d{5, -5, 4};
  EXPECT_EQ(judged(drifted), "");
}

TEST(BoxFilling, UnitsThatDifferByThousandsAreRefused) {
  for (const double unit : {1000.0, 1 / 1000.0, 1e6, 1e-6, 3.09e21, -1000.0}) {
    EXPECT_THROW(static_cast<void>(judged(lattice(unit))), SharedError) << unit;
  }
  try {
    static_cast<void>(judged(lattice(1000)));
  } catch (const SharedError& error) {
    EXPECT_NE(
        std::string(error.what()).find("file: its coordinates reach from 1562.5 to 48437.5, its box from 0 to 50"),
        std::string::npos)
        << error.what();
  }
}

TEST(BoxFilling, UnitsThatDifferByHAreWarnedOf) {
  for (const double h : {0.5, 0.6766, 0.7}) {
    EXPECT_NE(judged(lattice(h)).find("is empty along every axis"), std::string::npos) << h;
    EXPECT_NE(judged(lattice(1 / h)).find("boxes along every axis"), std::string::npos) << h;
  }
}

/// Small particles in one place, heavy ones everywhere.
TEST(BoxFilling, ZoomsAreAccepted) {
  std::vector<Vec3d> x = lattice(1);
  for (const Vec3d& each : lattice(1e-3)) x.push_back(each + Vec3d{20, 20, 20});
  EXPECT_EQ(judged(x), "");
}

/// Their mass is not that of the box, which decides.
TEST(BoxFilling, IsolatedSystemsAreAccepted) {
  EXPECT_NE(judged(lattice(1e-3), false).find("correct for an isolated system"), std::string::npos);
  EXPECT_EQ(judged({Vec3d{1, 2, 3}}), "");  // one particle
  EXPECT_EQ(judged({Vec3d{1, 2, 3}, Vec3d{30, 2, 40}}), "");
}

/// One that lies within a box of the box may have crossed a face; farther out it cannot have been inside.
TEST(BoxFilling, OneStrayIsEnough) {
  std::vector<Vec3d> x = lattice(1);
  x.push_back({1.99 * side, 1, 1});
  EXPECT_EQ(judged(x), "");
  x.back() = {1, -1.01 * side, 1};
  EXPECT_THROW(static_cast<void>(judged(x)), SharedError);
}

}  // namespace
}  // namespace multiwalk
