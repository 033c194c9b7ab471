// SPDX-License-Identifier: GPL-3.0-or-later
// Trails of few bodies keep the latest part of each path, and pictures show them as lines.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analysis/pictures/body_trails.hpp"
#include "analysis/pictures/draw_orbits.hpp"

namespace multiwalk {
namespace {

Vec3d on_circle(double radius, double turns) {
  const double angle = 2 * std::numbers::pi * turns;
  return {radius * std::cos(angle), radius * std::sin(angle), 0};
}

/// Two bodies on circles of radius 1 and 0.5, given in changing order.
BodyTrails circling(double turns, int steps) {
  BodyTrails trails;
  for (int i = 0; i <= steps; ++i) {
    const Vec3d outer = on_circle(1, turns * i / steps), inner = on_circle(0.5, turns * i / steps);
    const Vec3d position[2] = {i % 2 ? outer : inner, i % 2 ? inner : outer};
    const std::uint64_t id[2] = {i % 2 ? 7U : 3U, i % 2 ? 3U : 7U};
    trails.add(position, id);
  }
  return trails;
}

TEST(BodyTrails, KeepEachBodysPath) {
  const std::vector<Trail> trails = circling(0.75, 300).gather();
  ASSERT_EQ(trails.size(), 2U);
  EXPECT_EQ(trails[0].id, 3U);
  EXPECT_EQ(trails[1].id, 7U);
  for (const Vec3d& point : trails[0].point) EXPECT_NEAR(std::sqrt(norm2(point)), 0.5, 1e-12);
  EXPECT_EQ(trails[1].point.front(), on_circle(1, 0));
  EXPECT_EQ(trails[1].point.back(), on_circle(1, 0.75));
  EXPECT_EQ(trails[1].point.size(), 302U);
}

TEST(BodyTrails, ForgetTheOldestPartsOfLongPaths) {
  const std::vector<Trail> trails = circling(20, 20000).gather();
  const std::vector<Vec3d>& point = trails[1].point;
  ASSERT_EQ(point.size(), BodyTrails::most_points + 1);
  EXPECT_EQ(point.back(), on_circle(1, 20));
  const double step = 2 * std::numbers::pi * 20 / 20000;
  for (std::size_t i = 1; i < point.size(); ++i) ASSERT_LT(std::sqrt(norm2(point[i] - point[i - 1])), 1.01 * step) << i;
}

TEST(BodyTrails, LeaveOutPointsThatAPictureCannotShow) {
  const std::vector<Trail> trails = circling(1, 1000000).gather();
  // A circle is 2220 steps of a thousandth of its diagonal; at first, in less space, steps are shorter.
  EXPECT_LT(trails[1].point.size(), 5e3);
  EXPECT_GT(trails[1].point.size(), 2.2e3);
}

TEST(Orbits, AreLinesThatFadeWithAge) {
  const std::vector<Trail> trails = circling(0.75, 300).gather();
  const Image image = draw_orbits(trails, {.pixels = 300, .width = 3}, {}, {.lettered = Lettered::nothing});
  const auto brightness = [&](Vec3d place) {
    const auto column = static_cast<std::size_t>((0.5 + place.x / 3) * 300);
    const auto row = static_cast<std::size_t>((0.5 - place.y / 3) * 300);
    const std::uint8_t* pixel = &image.rgb[3 * (row * 300 + column)];
    return int{pixel[0]} + pixel[1] + pixel[2];
  };
  const int sky = brightness({1.4, 1.4, 0});
  EXPECT_LT(sky, 60);
  EXPECT_EQ(brightness({0, 0, 0}), sky);
  EXPECT_EQ(brightness(on_circle(1, 0.85)), sky);  // not yet reached
  EXPECT_GT(brightness(on_circle(1, 0.1)), 2 * sky);
  EXPECT_GT(brightness(on_circle(1, 0.6)), 1.3 * brightness(on_circle(1, 0.1)));
  EXPECT_GT(brightness(on_circle(1, 0.75)), brightness(on_circle(1, 0.6)));
}

}  // namespace
}  // namespace multiwalk
