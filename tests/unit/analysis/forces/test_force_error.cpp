// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/forces/force_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// |given - true| / |true + background x| of every particle, by a double loop, rising.
std::vector<double> peculiar_errors(const ParticleStore& p, const PairLaw& law, double background) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < p.size(); ++i) {
    Vec3d pull;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const Vec3d d = Vec3d(p.position[j]) - Vec3d(p.position[i]);
      const double square = norm2(d) + law.softening * law.softening;
      pull += (law.gravitational_constant * p.mass[j] / (square * std::sqrt(square))) * d;
    }
    errors.push_back(norm(Vec3d(p.acceleration[i]) - pull) / norm(pull + background * Vec3d(p.position[i])));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

TEST(ForceError, PeculiarOnesAreRelativeToPullAndBackground) {
  ParticleStore particles = test::plummer(101);
  for (std::size_t i = 0; i < particles.size(); ++i) particles.acceleration[i] = Vec3f{0.1F, -0.2F, 0.3F};
  const PairLaw law{2.5, 0.1, MultipoleOrder::monopole};
  for (const double background : {0.0, 0.7, 3.0}) {
    const std::vector<double> expected = peculiar_errors(particles, law, background);
    const ForceError error = measure_force_error(particles, law, {}, background);
    EXPECT_NEAR(error.peculiar.median, expected[50], 1e-6 * expected[50]);
    EXPECT_NEAR(error.peculiar.max, expected[100], 1e-6 * expected[100]);
    EXPECT_EQ(error.peculiar.sample, 101U);
    if (background == 0) {
      EXPECT_EQ(error.peculiar.median, error.total.median);
    }
  }
}

}  // namespace
}  // namespace multiwalk
