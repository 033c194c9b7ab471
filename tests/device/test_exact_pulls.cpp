// SPDX-License-Identifier: GPL-3.0-or-later
// The device's double-precision sums over all particles for a few targets, against the host's.
#include "host/exact/direct_sum.hpp"
#include "host/exact/ewald.hpp"
#include "host/force/backend_services.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

std::vector<Vec3d> first_places(const ParticleStore& store, std::size_t count) {
  return {store.position.begin(), store.position.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Largest difference from `expected`, over the rms of that.
double worst_of_rms(std::span<const Vec3d> sums, std::span<const Vec3d> expected) {
  double worst = 0, square = 0;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    worst = larger_error(worst, norm(sums[t] - expected[t]));
    square += norm2(expected[t]);
  }
  return worst / std::sqrt(square / static_cast<double>(sums.size()));
}

TEST(ExactPullsOnDevice, AreThoseOfDirectSummation) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  constexpr std::size_t more_than_a_piece = (std::size_t{1} << 21) + 1001;
  for (const std::size_t n : {std::size_t{1}, std::size_t{300}, more_than_a_piece}) {
    const ParticleStore store = test::plummer(n);
    const std::vector<Vec3d> targets = first_places(store, std::min<std::size_t>(n, 133));
    for (const double softening : {0.0, 0.01}) {
      const PairLaw law{7, softening};
      std::vector<Vec3d> sums(targets.size(), {1, 2, 3}), expected = sums;
      ASSERT_TRUE(cuda->exact_pulls()->add_exact_pulls(store.position, store.mass, law, targets, sums));
      for (std::size_t t = 0; t < targets.size(); ++t) {
        const ForceSum<double> sum = direct_sum(store.position, store.mass, targets[t], softening);
        expected[t] += {sum.x, sum.y, sum.z};
      }
      EXPECT_LT(worst_of_rms(sums, expected), 1e-12) << n << " particles, softening " << softening;
    }
  }
}

TEST(ExactPullsOnDevice, AreThoseOfEwaldSummation) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  ParticleStore store = test::uniform_cube(3000);
  constexpr double side = 2.5;
  for (Vec3d& x : store.position) x = side * x;
  store.position[1] = store.position[0] + Vec3d{1e-5, 0, 0};  // a close pair
  store.position[2] = store.position[0];
  const std::vector<Vec3d> targets = first_places(store, 60);
  for (const double softening : {0.0, 0.02}) {
    PairLaw law{1, softening};
    law.box_size = side;
    law.split = {0.05 * side, 0.25 * side};  // ignored
    std::vector<Vec3d> sums(targets.size()), expected(targets.size());
    ASSERT_TRUE(cuda->exact_pulls()->add_exact_pulls(store.position, store.mass, law, targets, sums));
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const ForceSum<double> sum =
          ewald_sum(store.position, store.mass, targets[t], {side, softening, EwaldMethod::exact});
      expected[t] = {sum.x, sum.y, sum.z};
    }
    // Each pair is off by at most 1e-9 m/L^2; of the first targets, two pull each other with 1e10.
    const std::span<const Vec3d> far = std::span(sums).subspan(3);
    EXPECT_LT(worst_of_rms(far, std::span(expected).subspan(3)), 1e-8) << softening;
    EXPECT_LT(worst_of_rms(std::span(sums).first(3), std::span(expected).first(3)), 1e-9) << softening;
  }
}

}  // namespace
}  // namespace multiwalk::device_test
