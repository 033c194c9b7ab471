// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of single walks: complete, the same on every instruction set, and obedient to what the records say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "host/simd/simd_kernels.hpp"
#include "host/walk/group.hpp"
#include "host/walk/opening_radii.hpp"
#include "host/walk/walk_families.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

struct Lists {
  std::vector<std::uint32_t> cells;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  ///< first, count
  std::uint32_t sources = 0;
  std::size_t far = 0;  ///< the first so many cells are far
  std::vector<std::uint32_t> expanded;

  bool operator==(const Lists&) const = default;
};

double distance_from(const Box& box, Vec3d x) {
  const auto outside = [](double at, double lo, double hi) { return std::max({lo - at, at - hi, 0.0}); };
  return norm(
      Vec3d{outside(x.x, box.lo.x, box.hi.x), outside(x.y, box.lo.y, box.hi.y), outside(x.z, box.lo.z, box.hi.z)});
}

/// Nothing if the buffer was too small.
std::vector<Lists> listed(const SimdKernels& kernels, const WalkTree& tree, const WalkQuery& query,
                          std::size_t capacity = 1 << 14) {
  std::vector<std::uint32_t> cells(capacity), near(capacity), expanded(capacity), leaves(capacity), families(capacity);
  std::vector<ParticleRange> ranges(capacity);
  ListBuffer list{cells.data(), near.data(), expanded.data(), ranges.data(), leaves.data(), families.data(), capacity};
  if (!kernels.walk(tree, query, list)) return {};
  Lists lists{{cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(list.cell_count)},
              {},
              list.source_count,
              list.far_count,
              {expanded.begin(), expanded.begin() + static_cast<std::ptrdiff_t>(list.expanded_count)}};
  for (std::size_t r = 0; r < list.range_count; ++r) lists.ranges.emplace_back(ranges[r].first, ranges[r].count);
  return {lists};
}

class WalkFamiliesTest : public testing::Test {
 protected:
  void build(std::size_t particles, Mac mac, std::uint32_t leaf_size = 8) {
    options_.mac = mac;
    store_ = test::plummer(particles);
    const Cube cube = enclosing_cube(bounding_box(store_.position));
    sort_by_key(store_, cube);
    octree_ = build_octree(store_, cube, {leaf_size});
    make_opening_radii(octree_.view(), options_, radius_);
    families_.make(octree_.view(), radius_, options_, 1);
    groups_ = make_groups(octree_.view(), 64);
  }
  void remake() { families_.make(octree_.view(), radius_, options_, 1); }
  [[nodiscard]] WalkQuery query(const Group& group) const {
    const double scale = options_.relative() ? options_.scale(1.0) : 0;
    return {group.box.centre(), group.box.half_size(), scale, group.first, group.first + group.count};
  }
  [[nodiscard]] Lists walk(const WalkQuery& query) const {
    return listed(simd_kernels(), families_.view(), query).at(0);
  }

  GravityOptions options_;
  ParticleStore store_;
  Octree octree_;
  std::vector<float> radius_;
  WalkFamilies families_;
  std::vector<Group> groups_;
};

TEST_F(WalkFamiliesTest, EveryParticleIsListedOnce) {
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative}) {
    build(5000, mac);
    const TreeView tree = octree_.view();
    for (const Group& group : groups_) {
      std::vector<int> times(store_.size(), 0);
      const auto add = [&](std::uint32_t first, std::uint32_t count) {
        for (std::uint32_t i = first; i < first + count; ++i) ++times[i];
      };
      const Lists lists = walk(query(group));
      for (const std::uint32_t n : lists.cells) add(tree.node[n].first, tree.node[n].count);
      std::uint32_t sources = 0;
      for (const auto& [first, count] : lists.ranges) {
        add(first, count);
        sources += count;
      }
      EXPECT_EQ(sources, lists.sources);
      EXPECT_EQ(std::ranges::count(times, 1), static_cast<std::ptrdiff_t>(store_.size()));
      for (std::uint32_t n : lists.cells)
        EXPECT_FALSE(tree.node[n].first <= group.first && group.first < tree.node[n].first + tree.node[n].count);
    }
  }
}

TEST_F(WalkFamiliesTest, AllInstructionSetsGiveTheSameLists) {
  for (const Mac mac : {Mac::barnes90, Mac::relative}) {
    build(20000, mac, 16);
    for (const SimdKernels* kernels : available_simd_kernels()) {
      for (const Group& group : groups_) {
        WalkQuery q = query(group);
        EXPECT_EQ(listed(*kernels, families_.view(), q).at(0), walk(q)) << kernels->name;
        q.first = q.end = 0;
        EXPECT_EQ(listed(*kernels, families_.view(), q).at(0), walk(q)) << kernels->name;
      }
    }
  }
}

/// Far cells come first and keep the distance, near ones do not; walk units are fine enough to ask it exactly.
TEST_F(WalkFamiliesTest, FarCellsAreThoseBeyondTheGroupsHalfDiagonal) {
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative}) {
    build(5000, mac);
    options_.theta = mac == Mac::relative ? options_.theta : 2;
    make_opening_radii(octree_.view(), options_, radius_);
    remake();
    std::size_t far = 0, near = 0;
    for (const Group& group : groups_) {
      const Lists lists = walk(query(group));
      const double least = std::max(far_factor * norm(group.box.half_size()), far_floor);
      for (std::size_t c = 0; c < lists.cells.size(); ++c) {
        const Vec3d x = octree_.view().multipole[lists.cells[c]].centre_of_mass;
        const double distance = distance_from(group.box, x);
        if (c < lists.far) {
          EXPECT_GT(distance, least * (1 - 1e-5));
        } else {
          EXPECT_LT(distance, least * (1 + 1e-5));
        }
      }
      far += lists.far;
      near += lists.cells.size() - lists.far;
    }
    EXPECT_GT(far, 1000U);
    EXPECT_GT(near, 10U);
  }
}

/// The largest relative term that is dropped, as OpeningCriterion::expansion_limit bounds it, in double precision.
struct Dropped {
  double size, distance_ratio;
};

Dropped dropped(const Group& group, const TreeView& tree, std::uint32_t cell, const WalkQuery& query,
                const OpeningCriterion& criterion) {
  const Multipole& m = tree.multipole[cell];
  const double distance = norm(m.centre_of_mass - group.box.centre());
  const double radius = norm(group.box.half_size()), side = tree.side(cell), order = query.expansion_order;
  const double ratio = (radius + 0.5 * side) / distance;
  if (radius == 0) return {INFINITY, ratio};
  const double power =
      std::pow(radius / distance, order) * (1 + order * (order - 1) / 48 * side * side / (radius * radius));
  if (!criterion.relative()) return {power, ratio};
  return {power * static_cast<double>(m.mass) * query.scale * query.scale / (distance * distance), ratio};
}

/// They are those among the accepted cells whose dropped terms are small enough, on every instruction set.
TEST_F(WalkFamiliesTest, ExpandedCellsAreThoseWithinTheLimit) {
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative}) {
    build(5000, mac);
    std::size_t expanded = 0, others = 0;
    for (const Group& group : groups_) {
      const Lists plain = walk(query(group));
      WalkQuery q = query(group);
      q.expansion_order = 4;
      q.expansion_limit = options_.expansion_limit(q.expansion_order);
      for (const SimdKernels* kernels : available_simd_kernels()) {
        const Lists lists = listed(*kernels, families_.view(), q).at(0);
        std::set<std::uint32_t> all(lists.cells.begin(), lists.cells.end());
        all.insert(lists.expanded.begin(), lists.expanded.end());
        EXPECT_EQ(all, std::set<std::uint32_t>(plain.cells.begin(), plain.cells.end()));
        EXPECT_EQ(all.size(), lists.cells.size() + lists.expanded.size());
        EXPECT_EQ(lists.ranges, plain.ranges);
        for (const std::uint32_t cell : lists.expanded) {
          const Dropped d = dropped(group, octree_.view(), cell, q, options_);
          EXPECT_LT(d.size, q.expansion_limit * (1 + 1e-4));
          EXPECT_LT(d.distance_ratio, OpeningCriterion::most_expanded * (1 + 1e-5));
        }
        for (const std::uint32_t cell : lists.cells) {
          const Dropped d = dropped(group, octree_.view(), cell, q, options_);
          EXPECT_TRUE(d.size > q.expansion_limit * (1 - 1e-4) ||
                      d.distance_ratio > OpeningCriterion::most_expanded * (1 - 1e-5));
        }
        expanded += lists.expanded.size();
        others += lists.cells.size();
      }
    }
    EXPECT_GT(expanded, 10000U);
    EXPECT_GT(others, 1000U);
  }
}

TEST_F(WalkFamiliesTest, ASmallBufferIsToldAndNeverOverrun) {
  build(5000, Mac::barnes90, 1);
  const WalkQuery q = query(groups_[groups_.size() / 2]);
  for (const SimdKernels* kernels : available_simd_kernels()) {
    std::size_t capacity = 512;
    while (listed(*kernels, families_.view(), q, capacity).empty()) ++capacity;
    EXPECT_GT(capacity, 600U);
    EXPECT_EQ(listed(*kernels, families_.view(), q, capacity).at(0), walk(q));
  }
}

TEST_F(WalkFamiliesTest, InfiniteRadiiOpenZeroAcceptsAndNegativeIsNotListed) {
  for (const Mac mac : {Mac::barnes90, Mac::relative}) {
    build(5000, mac);
    const TreeView tree = octree_.view();
    const WalkQuery q = query(groups_[groups_.size() / 2]);
    const Lists before = walk(q);
    const auto inner = [&](std::uint32_t n) { return !tree.node[n].leaf(); };
    const auto cell = *std::ranges::find_if(before.cells, inner);
    const float radius = radius_[cell];

    radius_[cell] = std::numeric_limits<float>::infinity();
    remake();
    const Lists opened = walk(q);
    EXPECT_EQ(std::ranges::count(opened.cells, cell), 0);
    EXPECT_GT(opened.cells.size() + opened.sources, before.cells.size() + before.sources);

    radius_[cell] = -radius;
    remake();
    Lists unlisted = before;
    unlisted.far -= std::ranges::find(before.cells, cell) - before.cells.begin() < std::ptrdiff_t(before.far) ? 1 : 0;
    std::erase(unlisted.cells, cell);
    EXPECT_EQ(walk(q), unlisted);

    radius_[cell] = radius;
    radius_[1] = radius_[2] = 0;
    remake();
    WalkQuery others = q;
    others.first = others.end = 0;
    const Lists everywhere = walk(others);
    EXPECT_EQ(std::ranges::count(everywhere.cells, 1U), 1);
    EXPECT_EQ(std::ranges::count(everywhere.cells, 2U), 1);
  }
}

TEST_F(WalkFamiliesTest, AnEmptyTreeGivesEmptyLists) {
  build(0, Mac::barnes90);
  for (const SimdKernels* kernels : available_simd_kernels()) {
    EXPECT_EQ(listed(*kernels, families_.view(), {{0.5, 0.5, 0.5}, {0.1, 0.1, 0.1}, 0, 0, 0}).at(0), Lists{});
  }
}

}  // namespace
}  // namespace multiwalk
