// A back end that grows the tree itself leaves the store as it is and answers in its order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "host/force/gravity_solver.hpp"
#include "host/force/grown_tree.hpp"
#include "host/force/simd_backend.hpp"
#include "host/walk/opening_radii.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// The CPU back end, growing trees over a sorted copy.
class GrowingBackend final : public ForceBackend {
 public:
  int grown = 0;

  [[nodiscard]] std::string_view name() const override { return "growing"; }
  [[nodiscard]] std::string description() const override { return "for tests"; }
  [[nodiscard]] std::size_t batch_entries() const override { return cpu_->batch_entries(); }
  [[nodiscard]] std::uint32_t preferred_group_size() const override { return cpu_->preferred_group_size(); }
  void begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    cpu_->begin(law, sources, targets, lanes);
  }

  GrownTree* grow(const ParticleStore& particles, const GrowthTask& task) override {
    ++grown;
    copy_ = particles;
    copy_.id.resize(particles.size());
    std::iota(copy_.id.begin(), copy_.id.end(), std::uint64_t{0});
    const Cube cube = task.cube(bounding_box(copy_.position));
    sort_by_key(copy_, cube);
    order_.assign(copy_.id.begin(), copy_.id.end());
    tree_ = build_octree(copy_, cube, {task.options.leaf_size});
    groups_ = make_groups(tree_.view(), task.group_size);
    make_opening_radii(tree_.view(), task.options, radius_);
    families_.make(tree_.view(), radius_, task.options.mac, task.gravitational_constant);
    result_ = {families_.view(), groups_, {}, order_, tree_.view(), tree_.multipole(), {}};
    if (task.options.mac == Mac::relative) {
      result_.smallest = smallest_accelerations(tree_.view(), groups_, copy_.acceleration, task.background);
    }
    return &result_;
  }
  void begin_grown(const PairLaw& law, std::span<const Multipole>, const TargetView& targets, int lanes) override {
    targets_ = targets;
    cpu_->begin(law, tree_.view(), {copy_.position, copy_.mass, copy_.acceleration, copy_.potential}, lanes);
  }
  WalkBatch& open(int lane) override { return cpu_->open(lane); }
  void submit(int lane) override { cpu_->submit(lane); }
  BackendTimes collect() override {
    const BackendTimes times = cpu_->collect();
    for (std::size_t place = 0; place < targets_.order.size(); ++place) {
      targets_.acceleration[targets_.order[place]] = copy_.acceleration[place];
      targets_.potential[targets_.order[place]] = copy_.potential[place];
    }
    return times;
  }

 private:
  std::unique_ptr<ForceBackend> cpu_ = make_simd_backend();
  ParticleStore copy_;
  Octree tree_;
  std::vector<Group> groups_;
  std::vector<float> radius_;
  WalkFamilies families_;
  std::vector<std::uint32_t> order_;
  TargetView targets_;
  GrownTree result_;
};

/// The store in the order of its ids.
ParticleStore by_id(ParticleStore store) {
  std::vector<std::uint32_t> order(store.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return store.id[i]; });
  store.reorder(order);
  return store;
}

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
    const ParticleStore a = by_id(expected), b = by_id(store);
    EXPECT_EQ(a.acceleration, b.acceleration);
    EXPECT_EQ(a.potential, b.potential);
    EXPECT_EQ(a.work, b.work);
    EXPECT_EQ(a.position, b.position);
  }
  EXPECT_GE(growing.grown, 2);
}

INSTANTIATE_TEST_SUITE_P(Criteria, GrownTrees, testing::Values(Mac::barnes90, Mac::relative));

TEST(GrownTrees, SortTheStoreOnlyWhereItIsScattered) {
  GrowingBackend growing;
  GravitySolver solver(GravityOptions{}, growing);
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  ParticleStore store = test::plummer(3000);
  solver.accelerate(store, law);
  EXPECT_FALSE(rising(store.id)) << "random positions, so they had to be sorted";
  const ParticleArray<std::uint64_t> sorted = store.id;
  for (Vec3d& x : store.position) x.x += 1e-4 * std::sin(1e6 * x.y);
  solver.accelerate(store, law);
  EXPECT_EQ(store.id, sorted) << "hardly moved, so they could stay";
}

}  // namespace
}  // namespace multiwalk
