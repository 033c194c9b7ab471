// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts of trees for other domains, walked as forests: quadrupole forces nearly as good as one tree's even without the
// cells shared between domains made whole (tests/mpi has the rest), and no more than is needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/forces/force_error.hpp"
#include "host/exact/direct_sum.hpp"
#include "tests/support/models.hpp"
#include "tests/unit/decomposition/essential_trees/virtual_domains.hpp"

namespace multiwalk {
namespace {

using test::VirtualDomain;

constexpr std::uint32_t group_size = 64;
constexpr std::uint32_t parts = 64;

ParticleStore along_x(ParticleStore store) {
  std::vector<std::uint32_t> order(store.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return store.position[a].x < store.position[b].x; });
  ReorderScratch scratch;
  store.reorder(order, scratch);
  return store;
}

VirtualDomain domain_of(ParticleStore store, const GravityOptions& options) {
  VirtualDomain domain;
  domain.store = std::move(store);
  domain.build(options, group_size);
  return domain;
}

/// Domain d of `count` slabs of equal number of `all` (sorted along x).
VirtualDomain slab_of(const ParticleStore& all, std::size_t d, std::size_t count, const GravityOptions& options) {
  const std::size_t first = all.size() * d / count, end = all.size() * (d + 1) / count;
  return domain_of(test::kept(all, [&](std::uint32_t i) { return i >= first && i < end; }), options);
}

/// Relative errors of all particles of `all` (sorted along x) cut into `domains` slabs of equal number.
std::vector<double> errors_in_slabs(const ParticleStore& all, std::size_t domains, const GravityOptions& options,
                                    const PairLaw& law) {
  std::vector<VirtualDomain> domain;
  for (std::size_t d = 0; d < domains; ++d) domain.push_back(slab_of(all, d, domains, options));
  const auto backend = make_simd_backend();
  GravityOptions solver_options = options;
  solver_options.group_size = group_size;
  std::vector<double> errors;
  for (VirtualDomain& mine : domain) {
    const std::vector<TargetBox> targets = target_boxes(mine.local(), parts);
    std::vector<EssentialCut> cuts;
    for (VirtualDomain& other : domain) {
      if (&other != &mine) cuts.push_back(cut_essential_tree(other.local(), targets));
    }
    test::VirtualTrees remote;
    for (const EssentialCut& cut : cuts) remote.trees.push_back({cut.node, cut.particle});
    ParticleStore store = mine.store;
    GravitySolver(solver_options, *backend).accelerate(store, law, {.remote = &remote});
    for (std::size_t i = 0; i < store.size(); ++i) {
      const ForceSum<double> s = direct_sum(all.position, all.mass, store.position[i], law.softening);
      const Vec3d exact = law.gravitational_constant * Vec3d{s.x, s.y, s.z};
      errors.push_back(norm(Vec3d(store.acceleration[i]) - exact) / norm(exact));
    }
  }
  return errors;
}

struct CutCase {
  Mac mac;
  MultipoleOrder order;
};

class EssentialCutForces : public testing::TestWithParam<CutCase> {};

TEST_P(EssentialCutForces, AreAsGoodAsOneTrees) {
  ParticleStore all = along_x(test::plummer(6000));
  GravityOptions options{GetParam().mac, 0.6, 0.005, GetParam().order, 0, 8};
  const PairLaw law{1, 0.01, options.multipole};
  if (options.relative()) {
    GravityOptions start = options;
    start.mac = Mac::barnes90;
    const auto backend = make_simd_backend();
    GravitySolver(start, *backend).accelerate(all, law);
    all = along_x(all);
  }
  const ErrorPercentiles one = percentiles(errors_in_slabs(all, 1, options, law));
  for (const std::size_t domains : {2, 3, 7}) {
    const ErrorPercentiles many = percentiles(errors_in_slabs(all, domains, options, law));
    EXPECT_LE(many.median, 1.3 * one.median) << domains;
    EXPECT_LE(many.p99, 1.3 * one.p99) << domains;
    EXPECT_GT(many.median, 1e-7) << domains;
  }
}

INSTANTIATE_TEST_SUITE_P(Criteria, EssentialCutForces,
                         testing::Values(CutCase{Mac::barnes90, MultipoleOrder::quadrupole},
                                         CutCase{Mac::offset, MultipoleOrder::quadrupole},
                                         CutCase{Mac::relative, MultipoleOrder::quadrupole}));

std::vector<Vec3f> offsets_of(const EssentialCut& cut) {
  std::vector<Vec3f> offsets;
  for (const EssentialParticle& particle : cut.particle) offsets.push_back(particle.offset);
  return offsets;
}

/// A tree over sorted copies, or one that a back end grew of a store in another order, is cut as that of a sorted
/// store.
TEST(EssentialCut, DoesNotDependOnTheOrderOfTheStore) {
  VirtualDomain domain = domain_of(test::plummer(3000), GravityOptions{});
  const std::vector<TargetBox> targets{{{{0.5, 0, 0}, {1, 1, 1}}, 0}};
  const std::vector<Vec3f> expected = offsets_of(cut_essential_tree(domain.local(), targets));
  ASSERT_GT(expected.size(), 100U);
  std::vector<std::uint32_t> order(domain.store.size());
  std::iota(order.rbegin(), order.rend(), 0U);
  LocalTree copies = domain.local();
  copies.order = order;
  EXPECT_EQ(offsets_of(cut_essential_tree(copies, targets)), expected);
  ParticleStore reversed = domain.store;
  reversed.reorder(order);
  WalkFamily some;
  LocalTree grown = copies;
  grown.tree.position = reversed.position;
  grown.tree.mass = reversed.mass;
  grown.tree.key = {};
  grown.families = {&some, 1};
  EXPECT_EQ(offsets_of(cut_essential_tree(grown, targets)), expected);
}

double mass_of(const EssentialCut& cut) {
  double mass = 0;
  for (const EssentialNode& node : cut.node) {
    if (node.count == 0) mass += static_cast<double>(node.mass);
  }
  for (const EssentialParticle& particle : cut.particle) mass += static_cast<double>(particle.mass);
  return mass;
}

TEST(EssentialCut, HoldsAllTheMassOnce) {
  const ParticleStore all = along_x(test::uniform_cube(20000));
  const GravityOptions options{Mac::barnes90, 0.5, 0.005, MultipoleOrder::quadrupole, 0, 8};
  VirtualDomain mine = slab_of(all, 0, 2, options), other = slab_of(all, 1, 2, options);
  const EssentialCut cut = cut_essential_tree(other.local(), target_boxes(mine.local(), parts));
  double mass = 0;
  for (const float m : other.store.mass) mass += static_cast<double>(m);
  EXPECT_NEAR(mass_of(cut), mass, 1e-5 * mass);
  EXPECT_LT(cut.particle.size(), other.store.size());
}

TEST(EssentialCut, FinerTargetsNeedLess) {
  const ParticleStore all = along_x(test::plummer(40000));
  const GravityOptions options{Mac::barnes90, 0.6, 0.005, MultipoleOrder::quadrupole, 0, 16};
  VirtualDomain mine = slab_of(all, 0, 2, options), other = slab_of(all, 1, 2, options);
  const std::vector<TargetBox> fine = target_boxes(mine.local(), parts);
  const TargetBox coarse = enclosing_target(fine);
  const std::uint64_t with_fine = cut_essential_tree(other.local(), fine).bytes();
  const std::uint64_t with_coarse = cut_essential_tree(other.local(), std::span(&coarse, 1)).bytes();
  EXPECT_LT(with_fine, with_coarse);
}

TEST(EssentialCut, RootOfADistantDomainIsEnough) {
  const ParticleStore near = test::uniform_cube(1000);
  ParticleStore far = near;
  for (Vec3d& p : far.position) p.x += 10;
  const GravityOptions options{Mac::barnes90, 0.5, 0.005, MultipoleOrder::quadrupole, 0, 8};
  VirtualDomain mine = domain_of(near, options), other = domain_of(far, options);
  const std::vector<TargetBox> targets = target_boxes(mine.local(), parts);
  const auto need = [&](VirtualDomain& domain) {
    const Box box = bounding_box(domain.store.position);
    const WalkRules rules(domain.tree.view().cube, domain.walks);
    return need_of(enclosing_target(targets), essential_root(domain.local(), box), box, rules);
  };
  EXPECT_EQ(need(other), Need::cell);
  const EssentialCut cut = cut_essential_tree(other.local(), targets);
  EXPECT_EQ(cut.node.size(), 1U);
  EXPECT_EQ(cut.particle.size(), 0U);
  EXPECT_EQ(need(mine), Need::tree);
}

TEST(EssentialForest, FarCellsKeepMassAndPull) {
  std::vector<FarCell> cells;
  const ParticleStore centres = test::uniform_cube(300);
  std::vector<Vec3d> position;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    FarCell far;
    far.cell.centre_of_mass = centres.position[i] + Vec3d{3, 0, 0};
    far.cell.mass = centres.mass[i];
    far.cell.radius = 0.01F;
    far.box.include(far.cell.centre_of_mass);
    position.push_back(far.cell.centre_of_mass);
    cells.push_back(far);
  }
  const GravityOptions options{Mac::barnes90, 0.3, 0.005, MultipoleOrder::quadrupole, 0, 8};
  const std::vector<EssentialNode> merged = merge_far_cells(cells, Cube{{3, 0, 0}, 1}, options);
  double mass = 0, leaves = 0;
  for (const EssentialNode& node : merged) {
    if (node.inner()) continue;
    mass += static_cast<double>(node.mass);
    leaves += 1;
  }
  EXPECT_EQ(leaves, 300);
  EXPECT_NEAR(mass, static_cast<double>(merged[0].mass), 1e-5 * mass);

  test::VirtualTrees remote;
  remote.trees = {{merged, {}}};
  ParticleStore store = test::uniform_cube(50, 2);
  for (float& m : store.mass) m = 0;
  const auto backend = make_simd_backend();
  const PairLaw law{1, 0, MultipoleOrder::quadrupole};
  const ForceStatistics statistics = GravitySolver(options, *backend).accelerate(store, law, {.remote = &remote});
  EXPECT_LT(statistics.raw.cell_pairs, 50U * 300U);
  for (std::size_t i = 0; i < store.size(); ++i) {
    const ForceSum<double> s = direct_sum(position, centres.mass, store.position[i], 0);
    EXPECT_LT(norm(Vec3d(store.acceleration[i]) - Vec3d{s.x, s.y, s.z}), 3e-3 * norm(Vec3d{s.x, s.y, s.z}));
  }
}

TEST(EssentialForest, ManyTreesHangBelowOpenedCells) {
  for (const std::size_t trees : {1U, 2U, 8U, 9U, 64U, 65U, 100U}) {
    std::vector<EssentialNode> root(trees);
    test::VirtualTrees remote;
    for (std::size_t t = 0; t < trees; ++t) {
      root[t].centre_of_mass = {5.0 + static_cast<double>(t), 0, 0};
      root[t].mass = 1;
      remote.trees.push_back({std::span(&root[t], 1), {}});
    }
    ParticleStore store = test::uniform_cube(10);
    const auto backend = make_simd_backend();
    const GravityOptions options;
    const PairLaw law{1, 0, MultipoleOrder::monopole};
    const ForceStatistics statistics = GravitySolver(options, *backend).accelerate(store, law, {.remote = &remote});
    EXPECT_EQ(statistics.raw.cell_pairs, 10 * trees);
  }
}

}  // namespace
}  // namespace multiwalk
