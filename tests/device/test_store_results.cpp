// SPDX-License-Identifier: GPL-3.0-or-later
// Results of a grown tree's walks stay on the device until all sources have acted, and come in the store's order.
#include <algorithm>

#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/walk/opening_radii.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

constexpr PairLaw store_law{1, 0.01, MultipoleOrder::quadrupole};

GravityOptions options_of_walks() {
  GravityOptions options;
  options.theta = 0.5;
  options.group_size = 64;
  return options;
}

/// Trees of other particles, one after the other, as other ranks would send them.
class OtherTrees final : public SourceTrees {
 public:
  explicit OtherTrees(int count) {
    for (int t = 0; t < count; ++t) {
      Other& other = others_.emplace_back();
      other.store = test::plummer(25000, 17 + static_cast<std::uint64_t>(t));
      for (Vec3d& x : other.store.position) x = x + Vec3d{2.0 * (t + 1), 0.5, 0};
      const Cube cube = enclosing_cube(bounding_box(other.store.position));
      sort_by_key(other.store, cube);
      other.tree = build_octree(other.store, cube, {16});
      make_opening_radii(other.tree.view(), options_of_walks(), other.radius);
      other.families.make(other.tree.view(), other.radius, options_of_walks(), store_law.gravitational_constant);
    }
  }
  Cube cube(const multiwalk::Box& mine, double /*box_size*/) override { return enclosing_cube(mine); }
  std::span<const std::uint32_t> begin(const LocalTree& /*local*/) override {
    next_ = 0;
    return {};
  }
  void progress() override {}
  const SourceTree* next() override {
    if (next_ == others_.size()) return nullptr;
    const Other& other = others_[next_++];
    current_ = {other.tree.view(), &other.families};
    return &current_;
  }
  bool all(bool mine) override { return mine; }

 private:
  struct Other {
    ParticleStore store;
    Octree tree;
    std::vector<float> radius;
    WalkFamilies families;
  };
  std::vector<Other> others_;
  std::size_t next_ = 0;
  SourceTree current_;
};

ParticleStore accelerated(ForceBackend& backend, ParticleStore store, SourceTrees* others) {
  GravitySolver(options_of_walks(), backend).accelerate(store, store_law, {.remote = others});
  return store;
}

TEST(StoreResults, ComeInAnyOrderAndLeaveItAsItWas) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const ParticleStore scattered = test::plummer(40000);
  ParticleStore sorted = scattered;
  sort_by_key(sorted, enclosing_cube(bounding_box(sorted.position)));
  const ParticleStore a = accelerated(*cuda, scattered, nullptr);
  ASSERT_TRUE(std::ranges::equal(a.id, scattered.id));
  const ParticleStore b = test::in_order_of_ids(accelerated(*cuda, sorted, nullptr));
  const ParticleStore a_by_id = test::in_order_of_ids(a);
  EXPECT_TRUE(std::ranges::equal(a_by_id.acceleration, b.acceleration));
  EXPECT_TRUE(std::ranges::equal(a_by_id.potential, b.potential));
}

TEST(StoreResults, AddUpOverSeveralSources) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const auto cpu = make_simd_backend();
  OtherTrees others(2);
  const ParticleStore scattered = test::plummer(30000);
  const ParticleStore device = test::in_order_of_ids(accelerated(*cuda, scattered, &others));
  const ParticleStore host = test::in_order_of_ids(accelerated(*cpu, scattered, &others));
  const ParticleStore alone = test::in_order_of_ids(accelerated(*cuda, scattered, nullptr));
  double worst = 0, worst_potential = 0, others_part = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const Vec3d expected(host.acceleration[i]);
    worst = larger_error(worst, norm(Vec3d(device.acceleration[i]) - expected) / norm(expected));
    worst_potential = larger_error(worst_potential, std::fabs(device.potential[i] / host.potential[i] - 1.0));
    others_part = std::max(others_part, norm(Vec3d(alone.acceleration[i]) - expected) / norm(expected));
  }
  EXPECT_LT(worst, 1e-3);
  EXPECT_LT(worst_potential, 1e-5);
  EXPECT_GT(others_part, 0.1);
}

TEST(StoreResults, ADeviceWithoutRoomForThemBringsThemAllTheSame) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const ParticleStore scattered = test::plummer(100000);
  const ParticleStore roomy = test::in_order_of_ids(accelerated(*cuda, scattered, nullptr));
  std::string why;
  CudaOptions little;
  for (little.memory_limit = 14'000'000; little.memory_limit < 24'000'000; little.memory_limit += 1'000'000) {
    const auto cramped = make_cuda_backend(little, why);
    try {
      const ParticleStore same = test::in_order_of_ids(accelerated(*cramped, scattered, nullptr));
      double worst = 0;
      for (std::size_t i = 0; i < same.size(); ++i) {
        const Vec3d expected(roomy.acceleration[i]);
        worst = larger_error(worst, norm(Vec3d(same.acceleration[i]) - expected) / norm(expected));
      }
      EXPECT_LT(worst, 1e-4) << little.memory_limit;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("is too small"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace multiwalk::device_test
