// SPDX-License-Identifier: GPL-3.0-or-later
// A back end that grows the tree itself leaves the store as it is and answers in its order.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "host/force/device_walker.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/growing_backend.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

using test::GrowingBackend;
using test::in_order_of_ids;

bool rising(std::span<const std::uint64_t> id) {
  return std::ranges::is_sorted(id);
}

class GrownTrees : public testing::TestWithParam<Mac> {};

TEST_P(GrownTrees, GiveTheForcesOfTheHostsTree) {
  GravityOptions options;
  options.mac = GetParam();
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  ParticleStore expected = test::plummer(3000), store = expected;
  GrowingBackend growing;
  const auto cpu = make_simd_backend();
  GravitySolver on_host(options, *cpu), on_device(options, growing);
  for (int evaluation = 0; evaluation < 2; ++evaluation) {
    const RawCount raw = on_host.accelerate(expected, law).raw;
    EXPECT_EQ(on_device.accelerate(store, law).raw.total(), raw.total());
    const ParticleStore a = in_order_of_ids(expected), b = in_order_of_ids(store);
    EXPECT_EQ(a.acceleration, b.acceleration);
    EXPECT_EQ(a.potential, b.potential);
    EXPECT_EQ(a.work, b.work);
    EXPECT_EQ(a.position, b.position);
  }
  EXPECT_GE(growing.grown, 2);
}

INSTANTIATE_TEST_SUITE_P(Criteria, GrownTrees, testing::Values(Mac::barnes90, Mac::relative));

TEST(GrownTrees, SizesAreTimedWithoutTheDeliveryOfResults) {
  GrowingBackend growing;
  growing.delivering = 0.3;
  GravityOptions options;
  options.mac = Mac::relative;  // two evaluations at first
  GravitySolver solver(options, growing);
  ParticleStore store = test::plummer(3000);
  const ForceStatistics statistics = solver.accelerate(store, PairLaw{1, 0.01, MultipoleOrder::quadrupole});
  EXPECT_GT(total(statistics.seconds), 0.6);
  EXPECT_LT(statistics.seconds_of_sizes(), total(statistics.seconds) - 0.6);
}

/// One other rank without particles, which counts what it is asked for collectively.
class CountingTrees final : public SourceTrees {
 public:
  int cubes = 0, begun = 0;

  Cube cube(const Box& mine, double /*box_size*/) override {
    ++cubes;
    return enclosing_cube(mine);
  }
  std::span<const std::uint32_t> begin(const LocalTree& /*local*/) override {
    ++begun;
    return {};
  }
  void progress() override {}
  const SourceTree* next() override { return nullptr; }
  bool all(bool mine) override { return mine; }
};

TEST(GrownTrees, LeaveTheTreeToTheHostAfterOneAgreementOnItsCube) {
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  const auto cpu = make_simd_backend();
  ParticleStore expected = test::plummer(3000);
  GravitySolver(GravityOptions{}, *cpu).accelerate(expected, law);
  for (const int refusal : {0, 1, 2}) {
    GrowingBackend growing;
    growing.refuses_to_take = refusal == 1;
    growing.refuses_to_grow = refusal == 2;
    CountingTrees others;
    ParticleStore store = test::plummer(3000);
    GravitySolver(GravityOptions{}, growing).accelerate(store, law, {.remote = &others});
    EXPECT_EQ(growing.grown, refusal == 0 ? 1 : 0);
    EXPECT_EQ(others.cubes, 1) << "refusal " << refusal;
    EXPECT_EQ(others.begun, 1) << "refusal " << refusal;
    EXPECT_EQ(in_order_of_ids(expected).acceleration, in_order_of_ids(store).acceleration) << "refusal " << refusal;
  }
}

/// A device whose memory never suffices for walks of its own.
class FullDevice final : public DeviceWalker {
 public:
  bool share_tree(TreeExchange&, const WalkSettings&, bool) override { return false; }
  MadeWalks walk(const GroupWalks&) override { throw Error("the tree is not there"); }
  std::optional<MadeWalks> walk_active(const ActiveWalks&) override { return std::nullopt; }
};

/// The host walks through the tree that the device has grown, or builds its own after one attempt to grow it.
TEST(GrownTrees, AreWalkedByTheHostIfTheDeviceCannot) {
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  const auto cpu = make_simd_backend();
  ParticleStore expected = test::plummer(3000);
  GravitySolver(GravityOptions{}, *cpu).accelerate(expected, law);
  FullDevice device;
  for (const int refusal : {0, 1, 2}) {
    GrowingBackend growing;
    growing.walker = &device;
    growing.refuses_to_take = refusal == 1;
    growing.refuses_to_grow = refusal == 2;
    ParticleStore store = test::plummer(3000);
    GravitySolver(GravityOptions{}, growing).accelerate(store, law);
    EXPECT_EQ(growing.takes, 1) << "refusal " << refusal;
    EXPECT_EQ(growing.grown, refusal == 0 ? 1 : 0);
    EXPECT_EQ(in_order_of_ids(expected).acceleration, in_order_of_ids(store).acceleration) << "refusal " << refusal;
  }
}

TEST(GrownTrees, SortTheStoreOnlyWhereItIsScattered) {
  GrowingBackend growing;
  GravitySolver solver(GravityOptions{}, growing);
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  ParticleStore few = test::plummer(3000), store = test::plummer(80000);
  solver.accelerate(few, law);
  EXPECT_TRUE(rising(few.id)) << "a cache holds them in any order";
  growing.any_order = true;
  solver.accelerate(store, law);
  EXPECT_TRUE(rising(store.id)) << "the back end does not mind the order";
  store.set_rungs(true);
  solver.accelerate(store, law);
  EXPECT_FALSE(rising(store.id)) << "rungs are looked up place by place";
  store = test::plummer(80000);
  growing.any_order = false;
  const Vec3d* const where = store.position.data();
  solver.accelerate(store, law);
  EXPECT_FALSE(rising(store.id)) << "random positions, so they had to be sorted";
  EXPECT_NE(store.position.data(), where) << "in place takes more than twice as long";
  const ParticleArray<std::uint64_t> sorted = store.id;
  for (Vec3d& x : store.position) x.x += 1e-4 * std::sin(1e6 * x.y);
  solver.accelerate(store, law);
  EXPECT_EQ(store.id, sorted) << "hardly moved, so they could stay";
}

}  // namespace
}  // namespace multiwalk
