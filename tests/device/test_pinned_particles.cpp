// SPDX-License-Identifier: GPL-3.0-or-later
// Particle arrays are page-locked once a back end was made, and forces from them are those from plain arrays.
#include <cmath>
#include <span>

#include "device/base/pinned_memory.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

class PinnedParticles : public testing::Test {
 protected:
  void SetUp() override {
    backend = backend_or_null();
    if (!backend) GTEST_SKIP() << "no CUDA device";
  }
  std::unique_ptr<ForceBackend> backend;
};

const PairLaw pinned_law{1.0, 0.02, MultipoleOrder::quadrupole};
constexpr std::uint32_t pinned_walks = 3000, walk_size = 100;

/// Each neighbourhood pulls itself and another.
Problem neighbourhoods() {
  Problem problem = random_problem(std::size_t{pinned_walks} * walk_size, 100, 5);
  for (std::uint32_t w = 0; w < pinned_walks; ++w) {
    const std::uint32_t other = (w + 1) % pinned_walks;
    problem.add_walk(problem.position[walk_size * w], walk_size * w, walk_size, {w % 100},
                     {{walk_size * w, walk_size}, {walk_size * other, walk_size}});
  }
  return problem;
}

template <class T>
bool locked(const ParticleArray<T>& values) {
  return is_page_locked(values.data(), values.size() * sizeof(T));
}

TEST_F(PinnedParticles, LargeArraysArePageLocked) {
  ParticleStore store;
  store.resize(300000);
  store.for_each_array([](const char* name, const auto& values) { EXPECT_TRUE(locked(values)) << name; });
  const std::vector<double> plain(300000);
  EXPECT_FALSE(is_page_locked(plain.data(), plain.size() * sizeof(double)));
}

TEST_F(PinnedParticles, FreedArraysMayBeMadeAgain) {
  ParticleStore other;
  other.resize(1000000);
  for (std::size_t n = 300000; n < 400000; n += 9973) {
    ParticleArray<Vec3d> values(n, Vec3d{1, 2, 3});
    EXPECT_TRUE(locked(values));
    values.resize(2 * n);
    EXPECT_TRUE(locked(values));
    EXPECT_EQ(values[n - 1], (Vec3d{1, 2, 3}));
  }
}

/// Forces on one lane in one batch, with positions and masses from elsewhere.
std::vector<Vec3f> forces(ForceBackend& backend, Problem& problem, std::span<const Vec3d> position,
                          std::span<const float> mass) {
  problem.reset();
  TargetView targets = problem.targets();
  targets.position = position;
  targets.mass = mass;
  backend.begin(pinned_law, {{}, {}, problem.multipole, position, mass, {}}, targets, 1);
  WalkBatch& batch = backend.open(0);
  batch.cells.assign(problem.batch.cells.begin(), problem.batch.cells.end());
  batch.ranges.assign(problem.batch.ranges.begin(), problem.batch.ranges.end());
  batch.walks.assign(problem.batch.walks.begin(), problem.batch.walks.end());
  backend.submit(0);
  backend.collect();
  return problem.acceleration;
}

TEST_F(PinnedParticles, ForcesAreThoseOfPlainArrays) {
  Problem problem = neighbourhoods();
  const std::vector<Vec3f> plain = forces(*backend, problem, problem.position, problem.mass);
  const ParticleArray<Vec3d> position(problem.position.begin(), problem.position.end());
  const ParticleArray<float> mass(problem.mass.begin(), problem.mass.end());
  ASSERT_TRUE(locked(position) && locked(mass));
  EXPECT_FALSE(std::isnan(plain[0].x));
  // Nothing of the plain arrays is left on a new back end's device.
  EXPECT_EQ(plain, forces(*backend_or_null(), problem, position, mass));
}

TEST_F(PinnedParticles, AStoreIsReadInPlace) {
  ParticleStore store = test::plummer(100000);
  ASSERT_TRUE(locked(store.position));
  ParticleStore same = store;
  GravityOptions options;
  options.group_size = 256;
  const auto cpu = make_simd_backend();
  GravitySolver(options, *backend).accelerate(store, pinned_law);
  GravitySolver(options, *cpu).accelerate(same, pinned_law);
  store = test::in_order_of_ids(std::move(store));
  same = test::in_order_of_ids(std::move(same));
  ASSERT_EQ(store.id, same.id);
  double difference = 0, sum = 0;
  for (std::size_t i = 0; i < store.size(); ++i) {
    difference += norm2(static_cast<Vec3d>(store.acceleration[i]) - static_cast<Vec3d>(same.acceleration[i]));
    sum += norm2(static_cast<Vec3d>(same.acceleration[i]));
  }
  EXPECT_LT(std::sqrt(difference / sum), 1e-5);
}

}  // namespace
}  // namespace multiwalk::device_test
