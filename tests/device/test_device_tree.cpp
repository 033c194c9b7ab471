// SPDX-License-Identifier: GPL-3.0-or-later
// The device grows the very tree that the host builds: order, nodes, groups and walk records.
#include <algorithm>
#include <functional>
#include <optional>

#include "host/force/simd_backend.hpp"
#include "host/force/tree_grower.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/walk/opening_radii.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

struct Growth {
  GrowthTask task;
  std::function<Cube(const multiwalk::Box&)> cube = enclosing_cube;
};

std::optional<LocalTree> grown_by(ForceBackend& backend, const ParticleStore& particles, const Growth& growth) {
  PhaseTimer timer;
  TreeGrower& grower = *backend.tree_grower();
  const std::optional<multiwalk::Box> box = grower.take(particles, growth.task, timer);
  if (!box) return std::nullopt;
  EXPECT_EQ(box->lo, bounding_box(particles.position).lo);
  EXPECT_EQ(box->hi, bounding_box(particles.position).hi);
  return grower.grow(growth.task, growth.cube(*box), timer);
}

struct HostTree {
  ParticleStore store;
  Octree tree;
  std::vector<Group> groups;
  std::vector<double> smallest;
  WalkFamilies families;
  std::vector<float> radius;
  std::size_t family_count = 1;

  HostTree(ParticleStore particles, const Growth& growth) : store(std::move(particles)) {
    const WalkSettings& walks = growth.task.walks;
    const Cube cube = growth.cube(bounding_box(store.position));
    sort_by_key(store, cube);
    tree = build_octree(store, cube, {walks.options.leaf_size});
    groups = make_groups(tree.view(), growth.task.group_size);
    if (walks.options.relative()) {
      smallest = smallest_accelerations(tree.view(), groups, store.acceleration, walks.background);
    }
    make_opening_radii(tree.view(), walks.options, radius);
    families.make(tree.view(), radius, walks.options, walks.gravitational_constant);
    for (const Node& node : tree.view().node) family_count += node.leaf() ? 0 : 1;
  }
};

void expect_same_nodes(const HostTree& host, const LocalTree& grown) {
  const auto node = host.tree.view().node;
  for (std::size_t n = 0; n < node.size(); ++n) {
    const Node &a = node[n], &b = grown.walk.node[n];
    ASSERT_TRUE(a.first == b.first && a.count == b.count && a.first_child == b.first_child &&
                a.child_count == b.child_count && a.level == b.level)
        << "node " << n;
  }
}

void expect_same_groups(const HostTree& host, const LocalTree& grown) {
  ASSERT_EQ(host.groups.size(), grown.groups.size());
  for (std::size_t g = 0; g < host.groups.size(); ++g) {
    const Group &a = host.groups[g], &b = grown.groups[g];
    ASSERT_TRUE(a.first == b.first && a.count == b.count && a.node == b.node) << "group " << g;
    ASSERT_TRUE(a.box.lo == b.box.lo && a.box.hi == b.box.hi) << "group " << g;
  }
  ASSERT_EQ(host.smallest.size(), grown.smallest.size());
  for (std::size_t g = 0; g < host.smallest.size(); ++g) {
    ASSERT_NEAR(host.smallest[g], grown.smallest[g], 1e-6 * host.smallest[g]);
  }
}

/// Walk units between two coordinates, around a periodic box if that is shorter.
std::int64_t steps(std::int32_t a, std::int32_t b) {
  const auto difference = static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
  return std::abs(std::int64_t{difference});
}

/// Multiplications and additions that the device contracts make the last bits differ.
void expect_same_families(const HostTree& host, const LocalTree& grown) {
  for (std::size_t f = 0; f < host.family_count; ++f) {
    const WalkFamily &a = host.families.view().family[f], &b = grown.walk.family[f];
    ASSERT_TRUE(a.first == b.first && a.present == b.present && a.leaves == b.leaves && a.everywhere == b.everywhere &&
                a.unlisted == b.unlisted)
        << "family " << f;
    ASSERT_NEAR(a.floor2, b.floor2, 1e-6 * a.floor2);
    ASSERT_NEAR(a.reach, b.reach, 1e-6 * a.reach);
    for (unsigned c = 0; a.present >> c != 0; ++c) {
      ASSERT_EQ(a.below[c], b.below[c]) << "family " << f;
      ASSERT_LE(steps(a.x[c], b.x[c]), 1);
      ASSERT_LE(steps(a.y[c], b.y[c]), 1);
      ASSERT_LE(steps(a.z[c], b.z[c]), 1);
      if (std::isinf(a.far2[c])) {
        ASSERT_TRUE(std::isinf(b.far2[c]));
      } else {
        ASSERT_NEAR(a.far2[c], b.far2[c], 1e-6 * a.far2[c]);
      }
    }
  }
}

/// What the host wants where other ranks need parts of the tree.
void expect_same_moments(const HostTree& host, const LocalTree& grown) {
  const TreeView& tree = host.tree.view();
  ASSERT_EQ(grown.tree.node.size(), tree.node.size());
  ASSERT_EQ(grown.radius.size(), tree.node.size());
  for (std::size_t n = 0; n < tree.node.size(); ++n) {
    ASSERT_NEAR(grown.multipole[n].mass, tree.multipole[n].mass, 1e-6 * tree.multipole[n].mass) << "node " << n;
    if (std::isinf(host.radius[n])) {
      ASSERT_TRUE(std::isinf(grown.radius[n])) << "node " << n;
    } else {
      ASSERT_NEAR(grown.radius[n], host.radius[n], 1e-6 * host.radius[n]) << "node " << n;
    }
  }
}

void expect_same(const ParticleStore& particles, const Growth& growth) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  Growth whole = growth;
  whole.task.whole = true;
  const std::optional<LocalTree> grown = grown_by(*cuda, particles, whole);
  ASSERT_TRUE(grown);
  const HostTree host(particles, growth);
  ASSERT_EQ(grown->order.size(), particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    ASSERT_EQ(particles.id[grown->order[i]], host.store.id[i]) << "place " << i;
  }
  EXPECT_EQ(grown->walk.corner, host.families.view().corner);
  EXPECT_EQ(grown->walk.units_per_length, host.families.view().units_per_length);
  EXPECT_EQ(grown->walk.periodic, host.families.view().periodic);
  expect_same_nodes(host, *grown);
  expect_same_groups(host, *grown);
  expect_same_families(host, *grown);
  expect_same_moments(host, *grown);
}

Growth growth_of(Mac mac, std::uint32_t leaf_size, std::uint32_t group_size) {
  Growth growth;
  growth.task.walks.options.mac = mac;
  growth.task.walks.options.leaf_size = leaf_size;
  growth.task.walks.background = 0.3;
  growth.task.group_size = group_size;
  return growth;
}

ParticleStore accelerated(ParticleStore store) {
  for (std::size_t i = 0; i < store.size(); ++i) store.acceleration[i] = -1.0F * Vec3f(store.position[i]);
  return store;
}

TEST(DeviceTree, IsTheHostsForEveryCriterion) {
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative, Mac::bh86}) {
    expect_same(accelerated(test::plummer(100000)), growth_of(mac, 16, mac == Mac::bh86 ? 1 : 256));
  }
}

TEST(DeviceTree, IsTheHostsForTwentyThousandParticles) {
  expect_same(accelerated(test::plummer(20001)), growth_of(Mac::relative, 16, 256));
}

TEST(DeviceTree, IsTheHostsForEverySizeOfLeafAndGroup) {
  for (const std::uint32_t leaf : {1U, 2U, 8U, 40U}) {
    for (const std::uint32_t group : {1U, 30U, 700U, 50000U}) {
      expect_same(test::uniform_cube(30000 + leaf), growth_of(Mac::barnes90, leaf, group));
    }
  }
}

TEST(DeviceTree, IsTheHostsInAPeriodicBox) {
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative}) {
    Growth growth = growth_of(mac, 16, 256);
    growth.cube = [](const multiwalk::Box&) { return periodic_cube(1.25); };
    ParticleStore store = test::uniform_cube(60000);
    for (std::size_t i = 0; i < store.size(); ++i) {
      Vec3d& x = store.position[i];
      x = (i % 2 == 0 ? 1.25 : 0.05) * x;  // a dense corner, and particles up to the upper faces
    }
    expect_same(accelerated(store), growth);
  }
}

TEST(DeviceTree, CoincidentParticlesAreCutIntoRuns) {
  ParticleStore store = test::plummer(60000);
  for (std::size_t i = 0; i < store.size(); i += 2) store.position[i] = {0.5, 0.25, 0.125};
  expect_same(store, growth_of(Mac::barnes90, 16, 256));
}

TEST(DeviceTree, AllInOnePointAndOnALine) {
  ParticleStore store = test::plummer(30000);
  for (Vec3d& x : store.position) x = {3, 4, 5};
  expect_same(store, growth_of(Mac::barnes90, 16, 256));
  for (std::size_t i = 0; i < store.size(); ++i) store.position[i] = {1e-3 * static_cast<double>(i), 0, 0};
  expect_same(store, growth_of(Mac::offset, 8, 64));
}

/// Other ranks seem to have as much again in the cells of some levels, which are to be opened earlier.
class HeavierCells final : public SourceTrees {
 public:
  Cube cube(const Box& mine, double /*box_size*/) override { return enclosing_cube(mine); }
  std::span<const std::uint32_t> begin(const LocalTree& local) override {
    changed_.clear();
    for (std::uint32_t n = 0; n < local.tree.node.size(); ++n) {
      if (local.tree.node[n].level < 3 || local.tree.node[n].level > 5 || n % 3 == 0) continue;
      changed_.push_back(n);
      local.multipole[n].mass *= 2;
      local.radius[n] *= 1.25F;
    }
    return changed_;
  }
  void progress() override {}
  const SourceTree* next() override { return nullptr; }
  bool all(bool mine) override { return mine; }

 private:
  std::vector<std::uint32_t> changed_;
};

TEST(DeviceTree, WalksSeeTheMomentsAndRadiiThatTheHostHasChanged) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const auto cpu = make_simd_backend();
  const ParticleStore particles = test::plummer(21000);
  const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};
  GravityOptions options;
  options.group_size = 64;
  HeavierCells heavier;
  const auto forces = [&](ForceBackend& backend, SourceTrees* remote) {
    ParticleStore store = particles;
    const ForceStatistics statistics = GravitySolver(options, backend).accelerate(store, law, {.remote = remote});
    return std::pair(test::in_order_of_ids(std::move(store)), statistics.raw.total());
  };
  const auto [device, device_pairs] = forces(*cuda, &heavier);
  const auto [host, host_pairs] = forces(*cpu, &heavier);
  const auto [unchanged, fewer_pairs] = forces(*cuda, nullptr);
  EXPECT_NEAR(static_cast<double>(device_pairs), static_cast<double>(host_pairs),
              1e-4 * static_cast<double>(host_pairs));
  EXPECT_GT(device_pairs, fewer_pairs + fewer_pairs / 100);
  double worst = 0, change = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3d expected(host.acceleration[i]);
    worst = larger_error(worst, norm(Vec3d(device.acceleration[i]) - expected) / norm(expected));
    change = std::max(change, norm(Vec3d(unchanged.acceleration[i]) - expected) / norm(expected));
  }
  EXPECT_LT(worst, 1e-4);
  EXPECT_GT(change, 0.1);
}

TEST(DeviceTree, FewParticlesAreLeftToTheHost) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  EXPECT_FALSE(grown_by(*cuda, test::plummer(100), growth_of(Mac::barnes90, 16, 256)));
}

TEST(DeviceTree, ADeviceTooSmallLeavesItToTheHost) {
  if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  CudaOptions options;
  options.memory_limit = 3'000'000;
  std::string why;
  const auto cuda = make_cuda_backend(options, why);
  EXPECT_FALSE(grown_by(*cuda, test::plummer(100000), growth_of(Mac::barnes90, 16, 256)));
  options.memory_limit = 30'000'000;
  EXPECT_TRUE(grown_by(*make_cuda_backend(options, why), test::plummer(100000), growth_of(Mac::barnes90, 16, 256)));
}

}  // namespace
}  // namespace multiwalk::device_test
