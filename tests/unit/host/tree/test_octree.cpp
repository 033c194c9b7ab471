// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "host/base/hash.hpp"
#include "host/tree/item_sort.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

Octree sorted_tree(ParticleStore& store, std::uint32_t leaf_size) {
  const Cube cube = enclosing_cube(bounding_box(store.position));
  sort_by_key(store, cube);
  return build_octree(store, cube, {leaf_size});
}

TEST(SfcKey, SpreadAndGatherAreInverse) {
  for (std::uint64_t x : {0UL, 1UL, 2UL, 0x155555UL, 0x1fffffUL, 0x12345UL}) EXPECT_EQ(gather_bits(spread_bits(x)), x);
  EXPECT_EQ(spread_bits(0x3), 0x9U);
}

TEST(SfcKey, PositionsOutsideTheCubeAreClamped) {
  EXPECT_EQ(morton_key({-1, -1, -1}, {0, 0, 0}, 2097152.0), 0U);
  EXPECT_EQ(morton_key({2, 2, 2}, {0, 0, 0}, 2097152.0), (std::uint64_t{1} << 63) - 1);
}

TEST(KeySort, SortsEveryArrayAlikeAndKeepsTheOrderOfEqualKeys) {
  ParticleStore store = test::uniform_cube(5000);
  for (std::size_t i = 0; i < 500; ++i) store.position[7 * i] = {0.25, 0.5, 0.75};
  const ParticleStore before = store;
  sort_by_key(store, enclosing_cube(bounding_box(store.position)));
  EXPECT_TRUE(std::is_sorted(store.key.begin(), store.key.end()));
  for (std::size_t i = 0; i < store.size(); ++i) {
    ASSERT_EQ(store.position[i], before.position[store.id[i]]);
    ASSERT_EQ(store.mass[i], before.mass[store.id[i]]);
    if (i > 0 && store.key[i] == store.key[i - 1]) {
      ASSERT_GT(store.id[i], store.id[i - 1]);
    }
  }
}

TEST(KeySort, WhatIsInOrderIsNotMoved) {
  ParticleStore store = test::plummer(3000);
  const Cube cube = enclosing_cube(bounding_box(store.position));
  SortScratch scratch;
  sort_by_key(store, cube, scratch);
  const auto keys = store.key;
  const Vec3d* const where = store.position.data();
  store.key.assign(store.size(), 0);
  sort_by_key(store, cube, scratch);
  EXPECT_EQ(store.position.data(), where);
  EXPECT_EQ(store.key, keys);
}

TEST(KeySort, MovesParticlesByWayOfTheScratch) {
  ParticleStore store = test::plummer(3000);
  const Vec3d* const where = store.position.data();
  SortScratch scratch;
  sort_by_key(store, enclosing_cube(bounding_box(store.position)), scratch);
  EXPECT_NE(store.position.data(), where) << "in place takes more than twice as long";
  EXPECT_EQ(std::get<ParticleArray<Vec3d>>(scratch.moved).data(), where);
}

TEST(KeySort, CopiesAreSortedAndTheStoreStays) {
  const ParticleStore before = test::plummer(3000);
  const Cube cube = enclosing_cube(bounding_box(before.position));
  ParticleStore store = before, expected = before;
  sort_by_key(expected, cube);
  SortScratch scratch;
  const SortedParticles sorted = sort_copies(store, cube, scratch);
  EXPECT_EQ(store.position, before.position);
  EXPECT_EQ(store.id, before.id);
  EXPECT_TRUE(std::ranges::equal(sorted.position, expected.position));
  EXPECT_TRUE(std::ranges::equal(sorted.mass, expected.mass));
  EXPECT_TRUE(std::ranges::equal(sorted.key, expected.key));
  for (std::size_t i = 0; i < store.size(); ++i) ASSERT_EQ(store.id[scratch.order[i]], expected.id[i]);
}

/// Keys whose differences lie in few bits, in many, and at both ends; many equal ones, with rising and falling indices.
TEST(KeySort, SortsEntriesWithAnyKeys) {
  for (const std::uint64_t bits : {0x3ffUL, 0xf0000000000000f1UL, 0x1000000001UL, ~0UL, 0UL}) {
    for (const std::uint32_t count : {10U, 300U, 5000U, 40000U}) {
      for (const bool falling : {false, true}) {
        SortScratch scratch;
        for (std::uint32_t i = 0; i < count; ++i)
          scratch.entries.push_back({mix_bits(i) & bits, falling ? count - i : i});
        std::vector<std::pair<std::uint64_t, std::uint32_t>> expected;
        for (const auto& entry : scratch.entries) expected.emplace_back(entry.key, entry.index);
        std::ranges::sort(expected);
        sort_entries(scratch);
        for (std::uint32_t i = 0; i < count; ++i)
          ASSERT_EQ(std::pair(scratch.entries[i].key, scratch.entries[i].index), expected[i]) << bits << ' ' << count;
        if (falling) continue;
        const auto write_keys = [&](std::uint32_t first, std::span<std::uint64_t> keys) {
          for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = mix_bits(first + k) & bits;
        };
        sort_items(count, write_keys, scratch);
        ASSERT_EQ(scratch.entries.size(), count);
        for (std::uint32_t i = 0; i < count; ++i)
          ASSERT_EQ(std::pair(scratch.entries[i].key, scratch.entries[i].index), expected[i]) << bits << ' ' << count;
      }
    }
  }
}

TEST(KeySort, WorksWithFewerThreadsThanAskedFor) {
  ParticleStore store = test::plummer(3000);
  const Cube cube = enclosing_cube(bounding_box(store.position));
  // Inside a parallel region nested teams have one thread.
#pragma omp parallel num_threads(2)
#pragma omp single
  sort_by_key(store, cube);
  EXPECT_TRUE(std::is_sorted(store.key.begin(), store.key.end()));
  std::vector<bool> seen(store.size());
  for (std::uint64_t id : store.id) seen.at(id) = true;
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](bool present) { return present; }));
}

TEST(Octree, LeavesPartitionTheParticles) {
  ParticleStore store = test::plummer(20000);
  const Octree tree = sorted_tree(store, 8);
  const TreeView view = tree.view();
  std::vector<int> seen(store.size());
  for (std::uint32_t n = 0; n < view.node.size(); ++n) {
    const Node& node = view.node[n];
    if (node.leaf()) {
      EXPECT_LE(node.count, 8U);
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) ++seen[i];
      continue;
    }
    std::uint32_t next = node.first;
    for (const Node& child : view.node.subspan(node.first_child, node.child_count)) {
      EXPECT_EQ(child.first, next);
      EXPECT_EQ(child.level, node.level + 1);
      next += child.count;
    }
    EXPECT_EQ(next, node.first + node.count);
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
}

TEST(Octree, ParticlesLieInTheirCells) {
  ParticleStore store = test::plummer(5000);
  const Octree tree = sorted_tree(store, 4);
  const TreeView view = tree.view();
  for (std::uint32_t n = 0; n < view.node.size(); ++n) {
    const Node& node = view.node[n];
    const Vec3d centre = cell_centre(view.cube, view.key[node.first], node.level);
    const double half = 0.5000001 * view.side(n);
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const Vec3d d = store.position[i] - centre;
      ASSERT_LE(std::max({std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)}), half);
    }
  }
}

TEST(Octree, ManyCoincidentParticlesEndInOneLeaf) {
  ParticleStore store = test::uniform_cube(12000);
  for (std::size_t i = 0; i < 10000; ++i) store.position[i] = {0.3, 0.3, 0.3};
  const Octree tree = sorted_tree(store, 16);
  std::uint32_t largest = 0;
  for (const Node& node : tree.view().node) {
    if (node.leaf()) largest = std::max(largest, node.count);
  }
  EXPECT_EQ(largest, 10000U);
}

TEST(Octree, TinyAndEmptySets) {
  for (std::size_t n : {0UL, 1UL, 2UL, 3UL}) {
    ParticleStore store = test::uniform_cube(n);
    const Octree tree = sorted_tree(store, 1);
    EXPECT_EQ(tree.view().node.empty(), n == 0);
    if (n > 0) {
      EXPECT_EQ(tree.view().node[0].count, n);
    }
  }
}

struct ExactMoments {
  double mass = 0;
  Vec3d com;
  double xx = 0, xy = 0, zz = 0;
};

ExactMoments brute_force(const ParticleStore& store, const Node& node) {
  ExactMoments m;
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
    m.mass += static_cast<double>(store.mass[i]);
    m.com += static_cast<double>(store.mass[i]) * store.position[i];
  }
  m.com *= 1 / m.mass;
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
    const Vec3d d = store.position[i] - m.com;
    m.xx += static_cast<double>(store.mass[i]) * d.x * d.x;
    m.xy += static_cast<double>(store.mass[i]) * d.x * d.y;
    m.zz += static_cast<double>(store.mass[i]) * d.z * d.z;
  }
  return m;
}

TEST(Moments, EqualSumsOverTheParticles) {
  ParticleStore store = test::uniform_cube(3000);
  const Octree tree = sorted_tree(store, 4);
  const TreeView view = tree.view();
  for (std::uint32_t n = 0; n < view.node.size(); ++n) {
    const ExactMoments exact = brute_force(store, view.node[n]);
    const Multipole& m = view.multipole[n];
    const double side = view.side(n);
    ASSERT_NEAR(static_cast<double>(m.mass) / exact.mass, 1, 2e-7);
    ASSERT_LT(norm(m.centre_of_mass - exact.com), 1e-7 * side);
    ASSERT_NEAR(static_cast<double>(m.xx), exact.xx, 3e-7 * exact.mass * side * side);
    ASSERT_NEAR(static_cast<double>(m.xy), exact.xy, 3e-7 * exact.mass * side * side);
    ASSERT_NEAR(static_cast<double>(m.zz), exact.zz, 3e-7 * exact.mass * side * side);
  }
}

TEST(Octree, DoesNotDependOnTheThreadCount) {
  const int threads = omp_get_max_threads();
  std::vector<Multipole> reference;
  for (int t : {1, 2, 3, 5}) {
    omp_set_num_threads(t);
    ParticleStore store = test::plummer(7000);
    const Octree tree = sorted_tree(store, 8);
    const auto multipole = tree.view().multipole;
    if (reference.empty()) reference.assign(multipole.begin(), multipole.end());
    ASSERT_EQ(reference.size(), multipole.size());
    for (std::size_t n = 0; n < multipole.size(); ++n) {
      ASSERT_EQ(multipole[n].centre_of_mass, reference[n].centre_of_mass);
      ASSERT_EQ(multipole[n].yz, reference[n].yz);
    }
  }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace multiwalk
