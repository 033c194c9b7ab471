// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts of trees of a periodic box: a walk inside a target box, wherever it lies, lists the same from the cut as from
// the whole tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "host/simd/simd_kernels.hpp"
#include "tests/support/periodic_models.hpp"
#include "tests/unit/decomposition/essential_trees/virtual_domains.hpp"

namespace multiwalk {
namespace {

using test::VirtualDomain;

/// Masses of what a walk lists: particles and cells.
using Listed = std::tuple<std::vector<float>, std::vector<float>>;

Listed listed_by(const TreeView& tree, const WalkTree& walk, const WalkQuery& query) {
  constexpr std::size_t capacity = 1 << 15;
  std::vector<std::uint32_t> cells(capacity), near(capacity), expanded(capacity), leaves(capacity), families(capacity);
  std::vector<ParticleRange> ranges(capacity);
  ListBuffer list{cells.data(), near.data(), expanded.data(), ranges.data(), leaves.data(), families.data(), capacity};
  EXPECT_TRUE(simd_kernels().walk(walk, query, list));
  Listed listed;
  auto& [of_particles, of_cells] = listed;
  for (std::size_t c = 0; c < list.cell_count; ++c) of_cells.push_back(tree.multipole[list.cells[c]].mass);
  for (std::size_t r = 0; r < list.range_count; ++r) {
    const std::span<const float> mass = tree.mass.subspan(list.ranges[r].first, list.ranges[r].count);
    of_particles.insert(of_particles.end(), mass.begin(), mass.end());
  }
  std::sort(of_cells.begin(), of_cells.end());
  std::sort(of_particles.begin(), of_particles.end());
  return listed;
}

class Boxes {
 public:
  /// A box of at most this half size whose centre may lie on a face of `about`, cut at its faces.
  Box inside(const Box& about, double most) {
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
      const double half = most * uniform_(random_);
      double centre = about.lo[axis] + (about.hi[axis] - about.lo[axis]) * uniform_(random_);
      if (random_() % 4 == 0) centre = random_() % 2 == 0 ? about.lo[axis] : about.hi[axis];
      box.lo[axis] = std::max(centre - half, about.lo[axis]);
      box.hi[axis] = std::min(centre + half, about.hi[axis]);
    }
    return box;
  }

 private:
  std::mt19937_64 random_{5};
  std::uniform_real_distribution<double> uniform_{0, 1};
};

class PeriodicCut : public testing::TestWithParam<Mac> {};

TEST_P(PeriodicCut, IsReadAsTheWholeTree) {
  const GravityOptions options{GetParam(), 0.6, 0.005, MultipoleOrder::quadrupole, 0, 8};
  VirtualDomain other;
  other.store = test::clusters_at_faces(4000);
  other.build(options, 32, 0, periodic_cube(1));
  const TreeView tree = other.tree.view();
  WalkFamilies families;
  families.make(tree, other.radius, options, 1);
  const double scale = options.relative() ? 0.05 : 0;
  Boxes boxes;
  std::size_t all_particles = 0, all_cells = 0, cut_particles = 0;
  for (int trial = 0; trial < 150; ++trial) {
    other.walks.cutoff = trial % 3 == 0 ? 0.3 : trial % 3 == 1 ? 0.1 : 0.02;
    std::vector<TargetBox> targets;
    for (int k = 0; k <= trial % 4; ++k) targets.push_back({boxes.inside({{0, 0, 0}, {1, 1, 1}}, 0.1), scale});
    const EssentialCut cut = cut_essential_tree(other.local(), targets);
    const EssentialForest::Tree part{cut.node, cut.particle};
    EssentialForest forest;
    forest.assemble(std::span(&part, 1), tree.cube, options, 1);
    cut_particles += cut.particle.size();
    for (const TargetBox& target : targets) {
      for (int walk = 0; walk < 5; ++walk) {
        const Box box = boxes.inside(target.box, walk == 0 ? 0 : 0.0625);
        const WalkQuery query{box.centre(), box.half_size(), scale, 0, 0, other.walks.cutoff};
        const Listed whole = listed_by(tree, families.view(), query);
        EXPECT_EQ(whole, listed_by(forest.source().tree, forest.source().families->view(), query)) << trial;
        all_particles += std::get<0>(whole).size();
        all_cells += std::get<1>(whole).size();
      }
    }
  }
  EXPECT_GT(all_particles, 10000U);
  EXPECT_GT(all_cells, 10000U);
  EXPECT_LT(cut_particles, 150U * 4000U / 2);
}

INSTANTIATE_TEST_SUITE_P(Criteria, PeriodicCut, testing::Values(Mac::bh86, Mac::barnes90, Mac::offset, Mac::relative));

TEST(PeriodicDomains, SendNothingBeyondTheCutoff) {
  const GravityOptions options{Mac::barnes90, 0.6, 0.005, MultipoleOrder::quadrupole, 0, 8};
  VirtualDomain other;
  other.store = test::uniform_cube(2000);
  for (Vec3d& p : other.store.position) p = wrapped(0.1 * p + Vec3d{0.95, 0.95, 0.95}, 1);
  other.walks.cutoff = 0.1;
  other.build(options, 32, 0, periodic_cube(1));
  const WalkRules rules(periodic_cube(1), other.walks);
  const Box box = bounding_box(other.store.position);
  const EssentialNode root = essential_root(other.local(), box);
  EXPECT_TRUE(std::isinf(root.radius));
  const TargetBox far{{{0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}}, 0}, across{{{0, 0, 0}, {0.02, 0.02, 0.02}}, 0};
  EXPECT_EQ(cut_essential_tree(other.local(), std::span(&far, 1)).particle.size(), 0U);
  EXPECT_GT(cut_essential_tree(other.local(), std::span(&across, 1)).particle.size(), 0U);
  // Its box spans this one, though nothing is near.
  EXPECT_EQ(need_of(far, root, box, rules), Need::tree);
  EXPECT_EQ(need_of(far, root, {{0.95, 0.95, 0.95}, {1, 1, 1}}, rules), Need::nothing);
  EXPECT_EQ(need_of({{{0, 0, 0}, {0.1, 0.1, 0.1}}, 0}, root, {{0.95, 0.95, 0.95}, {1, 1, 1}}, rules), Need::tree);
  // A cell that is used at the cut-off has a side of at most theta times that, and parts of it are a diagonal farther
  // away.
  const double reach = 0.1 + std::sqrt(3.0) * 0.6 * 0.1;
  for (const double beyond : {-1e-3, 1e-3}) {
    const TargetBox near{{{0.4, 0.9, 0.9}, {0.95 - reach - beyond, 1, 1}}, 0};
    EXPECT_EQ(need_of(near, root, {{0.95, 0.95, 0.95}, {1, 1, 1}}, rules), beyond > 0 ? Need::nothing : Need::tree);
  }
}

TEST(FarCells, AreNeverMergedAcrossAFace) {
  std::vector<FarCell> cells;
  for (int k = 0; k < 16; ++k) {
    FarCell far;
    far.cell.centre_of_mass = {k < 8 ? 0.01 : 0.99, 0.5 + 0.001 * k, 0.5};
    far.cell.mass = 1;
    far.box.include(far.cell.centre_of_mass);
    cells.push_back(far);
  }
  const GravityOptions options;
  const std::vector<EssentialNode> merged = merge_far_cells(cells, periodic_cube(1), options);
  ASSERT_EQ(merged.size(), 1U + 2U + 16U);
  EXPECT_TRUE(std::isinf(merged[0].radius));
  EXPECT_TRUE(std::isfinite(merged[1].radius));
}

}  // namespace
}  // namespace multiwalk
