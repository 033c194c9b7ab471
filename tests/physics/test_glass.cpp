// SPDX-License-Identifier: GPL-3.0-or-later
// A glass lies still, is smooth on large scales, and is the same for any number of threads.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "host/exact/ewald.hpp"
#include "ic/loads/glass.hpp"

namespace multiwalk {
namespace {

const std::vector<Vec3d>& small_glass() {
  static const std::vector<Vec3d> glass = make_glass({12, 5});
  return glass;
}

/// Mean over waves with |n| from lo to hi of |sum exp(2 pi i n.x)|^2 / N, which is 1 for random points.
double power_over_noise(const std::vector<Vec3d>& points, double lo, double hi) {
  const int top = static_cast<int>(hi);
  double sum = 0;
  int waves = 0;
  for (int a = -top; a <= top; ++a) {
    for (int b = -top; b <= top; ++b) {
      for (int c = 0; c <= top; ++c) {
        const double n = std::sqrt(a * a + b * b + c * c);
        if (n < lo || n > hi) continue;
        std::complex<double> mode = 0;
        for (const Vec3d x : points) mode += std::polar(1.0, 2 * std::numbers::pi * (a * x.x + b * x.y + c * x.z));
        sum += std::norm(mode) / static_cast<double>(points.size());
        ++waves;
      }
    }
  }
  return sum / waves;
}

TEST(Glass, LiesStill) {
  const std::vector<Vec3d>& glass = small_glass();
  ASSERT_EQ(glass.size(), 1728U);
  const std::vector<float> mass(glass.size(), 1.0F / 1728);
  double square = 0, random_square = 0;
  std::vector<Vec3d> random = glass;  // every 17th somewhere else
  for (std::size_t i = 0; i < random.size(); i += 17) random[i] = glass[i] + Vec3d{0.03, 0.02, -0.03};
  for (std::size_t i = 0; i < glass.size(); i += 17) {
    EXPECT_TRUE(glass[i].x >= 0 && glass[i].x < 1 && glass[i].y >= 0 && glass[i].y < 1);
    const auto displacement2 = [&](const std::vector<Vec3d>& points) {
      const ForceSum<double> g = ewald_sum(points, mass, points[i], {});
      return norm2(Vec3d{g.x, g.y, g.z}) / std::pow(4 * std::numbers::pi / 12, 2);
    };
    square += displacement2(glass);
    random_square += displacement2(random);
  }
  const double sampled = std::ceil(1728 / 17.0);
  EXPECT_LT(std::sqrt(square / sampled), 7e-4);  // what is left to move, in spacings: 3.4e-4
  EXPECT_GT(std::sqrt(random_square / sampled), 0.1);
}

TEST(Glass, IsSmoothOnLargeScales) {
  const double longest = power_over_noise(small_glass(), 1, 1.5), shorter = power_over_noise(small_glass(), 3, 3.5);
  EXPECT_LT(longest, 5e-6);  // 1.9e-6
  EXPECT_LT(shorter, 1e-4);  // 5.5e-5
  EXPECT_LT(power_over_noise(small_glass(), 12, 12),
            10);  // where the lattice of as many has its first peaks, above 300
}

TEST(Glass, IsOfTheSeedWhateverTheThreads) {
  const int threads = omp_get_max_threads();
  const auto made = [](int count, std::uint64_t seed) {
    omp_set_num_threads(count);
    return make_glass({8, seed, 24});
  };
  const std::vector<Vec3d> one = made(1, 3);
  EXPECT_EQ(one, made(2, 3));
  EXPECT_NE(one, made(1, 4));
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace multiwalk
