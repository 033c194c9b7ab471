// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "analysis/sky/sky_pixels.hpp"
#include "host/sky/sky_pixel.hpp"

namespace multiwalk {
namespace {

struct Directions {
  std::vector<double> x, y, z;

  void add(double dx, double dy, double dz) {
    x.push_back(dx);
    y.push_back(dy);
    z.push_back(dz);
  }
};

void expect_library_pixels(std::uint32_t nside, const Directions& d) {
  const SkyPixels sky(nside);
  std::vector<std::uint64_t> pixel(SkyPixels::at_once);
  for (std::size_t first = 0; first < d.x.size(); first += SkyPixels::at_once) {
    const std::size_t count = std::min(SkyPixels::at_once, d.x.size() - first);
    sky.find(&d.x[first], &d.y[first], &d.z[first], count, pixel.data());
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3d direction{d.x[first + k], d.y[first + k], d.z[first + k]};
      ASSERT_LT(pixel[k], sky.number());
      ASSERT_EQ(pixel[k], sky.at(direction)) << direction.x << " " << direction.y << " " << direction.z;
    }
  }
}

Directions random_directions(std::size_t number) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Directions d;
  for (std::size_t i = 0; i < number; ++i) {
    const double stretch = i % 5 == 0 ? 1e3 : 1;  // some near the poles
    const double x = normal(random), y = normal(random), z = stretch * normal(random);
    d.add(700 * x, 700 * y, 700 * z);
  }
  return d;
}

TEST(SkyPixels, AreTheLibrarys) {
  const Directions d = random_directions(100000);
  for (const std::uint32_t nside : {1U, 2U, 64U, 1024U, 16384U}) expect_library_pixels(nside, d);
}

/// Where rounding decides: poles, meridians between base pixels, the borders of the caps, centres and corners of
/// pixels.
TEST(SkyPixels, AreTheLibrarysOnBorders) {
  Directions d;
  for (const double x : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    for (const double y : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      for (const double z : {-1.0, -2.0 / 3, 0.0, 2.0 / 3, 1.0}) {
        if (x != 0 || y != 0 || z != 0) d.add(x, y, z);
        const double across = std::hypot(x, y);
        if (across > 0) d.add(x / across * std::sqrt(5.0) / 3, y / across * std::sqrt(5.0) / 3, z);
      }
    }
  }
  const SkyPixels coarse(16);
  for (std::uint64_t p = 0; p < coarse.number(); ++p) {
    const Vec3d c = coarse.centre(p);
    d.add(c.x, c.y, c.z);
  }
  for (const std::uint32_t nside : {1U, 16U, 32U, 1024U, 16384U}) expect_library_pixels(nside, d);
}

/// A device assigns directions to pixels without the library, unless they are in doubt: few in a million are, most of
/// them near the poles.
TEST(SkyPixels, ThatAreNotInDoubtAreTheLibrarys) {
  const Directions d = random_directions(1000000);
  for (const int order : {4, 11}) {
    const std::uint32_t side = 1U << order;
    const SkyPixels sky(side);
    std::size_t in_doubt = 0;
    for (std::size_t k = 0; k < d.x.size(); ++k) {
      const SkyPlace place = sky_place(d.x[k], d.y[k], d.z[k], side);
      in_doubt += place.in_doubt() ? 1 : 0;
      if (place.in_doubt()) continue;
      ASSERT_EQ(sky_pixel(place.falling, place.rising, side, order), sky.at({d.x[k], d.y[k], d.z[k]}));
    }
    EXPECT_LT(in_doubt, 40U);
  }
  EXPECT_TRUE(sky_place(0, 0, 1, 2048).in_doubt()) << "the pole";
  EXPECT_TRUE(sky_place(0, 1, 0.1, 2048).in_doubt()) << "between two base pixels";
}

TEST(SkyPixels, EveryPixelHasItsCentre) {
  const SkyPixels sky(8);
  for (std::uint64_t p = 0; p < sky.number(); ++p) {
    const Vec3d c = sky.centre(p);
    std::uint64_t found = 0;
    sky.find(&c.x, &c.y, &c.z, 1, &found);
    EXPECT_EQ(found, p);
  }
}

}  // namespace
}  // namespace multiwalk
