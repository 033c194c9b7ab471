// SPDX-License-Identifier: GPL-3.0-or-later
// Raw counts of the solver against an independent recursive walker: exactly equal.
#include <gtest/gtest.h>

#include <ostream>

#include "analysis/forces/interaction_census.hpp"
#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/models.hpp"
#include "tests/support/recursive_walker.hpp"

namespace multiwalk {
namespace {

// A power of two makes every mass sum exact, so that no borderline cell can differ.
constexpr std::size_t plummer_particles = 8192;

struct CountCase {
  Mac mac;
  MultipoleOrder order;
  double theta;
  std::uint32_t group_size, leaf_size;
};

void PrintTo(const CountCase& c, std::ostream* out) {
  *out << "mac " << static_cast<int>(c.mac) << (c.order == MultipoleOrder::monopole ? " monopole" : " quadrupole")
       << " theta " << c.theta << " groups of " << c.group_size;
}

std::vector<test::Point> points_of(const ParticleStore& store) {
  std::vector<test::Point> points;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const Vec3d p = store.position[i];
    points.push_back({{p.x, p.y, p.z}, static_cast<double>(store.mass[i])});
  }
  return points;
}

test::WalkRules rules_of(const CountCase& c, double alpha) {
  test::WalkRules rules;
  rules.criterion = c.mac == Mac::offset     ? test::Criterion::offset
                    : c.mac == Mac::relative ? test::Criterion::relative
                                             : test::Criterion::barnes;
  rules.theta = c.theta;
  rules.alpha = alpha;
  rules.leaf_size = c.leaf_size;
  rules.group_size = c.mac == Mac::bh86 ? 1 : c.group_size;
  rules.always_opened = c.order == MultipoleOrder::monopole ? 1 : 2;
  return rules;
}

class RawCounts : public testing::TestWithParam<CountCase> {};

TEST_P(RawCounts, EqualTheRecursiveWalker) {
  const CountCase c = GetParam();
  ParticleStore store = test::plummer(plummer_particles);
  const Cube cube = enclosing_cube(bounding_box(store.position));
  GravityOptions options;
  options.mac = c.mac;
  options.multipole = c.order;
  options.theta = c.theta;
  options.alpha = 0.002;
  options.group_size = c.group_size;
  options.leaf_size = c.leaf_size;
  const auto backend = make_simd_backend();
  GravitySolver solver(options, *backend);
  const PairLaw law{1, 0.01, c.order};
  std::vector<double> pull;
  if (c.mac == Mac::relative) {
    solver.accelerate(store, law);
    for (const Vec3f& a : store.acceleration) pull.push_back(norm(Vec3d(a)));
  }
  const std::vector<test::Point> points = points_of(store);
  const ForceStatistics statistics = solver.accelerate(store, law);

  const double corner[3] = {cube.corner.x, cube.corner.y, cube.corner.z};
  test::RecursiveWalker walker(points, corner, cube.side, rules_of(c, options.alpha));
  const test::PairCounts expected = walker.count(pull);
  EXPECT_EQ(statistics.raw.walks, expected.groups);
  EXPECT_EQ(statistics.raw.particle_pairs, expected.particle_pairs);
  EXPECT_EQ(statistics.raw.cell_pairs, expected.cell_pairs);
}

INSTANTIATE_TEST_SUITE_P(AllCriteria, RawCounts,
                         testing::Values(CountCase{Mac::bh86, MultipoleOrder::monopole, 0.5, 1, 1},
                                         CountCase{Mac::barnes90, MultipoleOrder::monopole, 0.5, 64, 1},
                                         CountCase{Mac::barnes90, MultipoleOrder::quadrupole, 0.75, 100, 16},
                                         CountCase{Mac::barnes90, MultipoleOrder::quadrupole, 1.2, 256, 8},
                                         CountCase{Mac::offset, MultipoleOrder::monopole, 0.6, 32, 1},
                                         CountCase{Mac::offset, MultipoleOrder::quadrupole, 0.75, 128, 16},
                                         CountCase{Mac::relative, MultipoleOrder::quadrupole, 1, 64, 8},
                                         CountCase{Mac::relative, MultipoleOrder::monopole, 1, 128, 16}));

TEST(EffectiveCount, CompleteCountEqualsTheRecursiveWalkerAndASampleComesWithinOnePercent) {
  ParticleStore store = test::plummer(plummer_particles);
  const Cube cube = enclosing_cube(bounding_box(store.position));
  sort_by_key(store, cube);
  const double corner[3] = {cube.corner.x, cube.corner.y, cube.corner.z};
  const std::vector<test::Point> points = points_of(store);
  test::WalkRules rules;
  rules.theta = 0.6;
  rules.group_size = 1;
  test::RecursiveWalker walker(points, corner, cube.side, rules);
  const test::PairCounts expected = walker.count();
  const double exact = static_cast<double>(expected.particle_pairs + expected.cell_pairs);
  const CensusTree tree(store, cube, {}, {});
  EXPECT_EQ(count_effective(tree, store, 0.6, {}).pairs, exact);
  const EffectiveCount sampled = count_effective(tree, store, 0.6, {plummer_particles / 4});
  EXPECT_NEAR(sampled.pairs / exact, 1, 0.01);
  EXPECT_GT(sampled.standard_error, 0);
  EXPECT_LT(std::fabs(sampled.pairs - exact), 4 * sampled.standard_error);
}

/// Deviations of 200 samples: their mean square is the variance that the samples claim, to 30% (a chi square of 200 has
/// a scatter of 10%, counts of a Plummer sphere's core a little more).
TEST(EffectiveCount, StandardErrorIsTheScatterOfSamples) {
  ParticleStore store = test::plummer(plummer_particles);
  const Cube cube = enclosing_cube(bounding_box(store.position));
  sort_by_key(store, cube);
  const CensusTree tree(store, cube, {}, {});
  const double exact = count_effective(tree, store, 0.6, {}).pairs;
  constexpr int samples = 200;
  double mean_square = 0;
  for (std::uint64_t seed = 1; seed <= samples; ++seed) {
    const EffectiveCount count = count_effective(tree, store, 0.6, {100, seed});
    const double deviation = (count.pairs - exact) / count.standard_error;
    mean_square += deviation * deviation / samples;
  }
  EXPECT_NEAR(mean_square, 1, 0.3);
}

TEST(RawCounts, DirectBackEndCountsEveryPair) {
  ParticleStore store = test::plummer(500);
  const auto backend = make_reference_backend(true);
  GravitySolver solver(GravityOptions{}, *backend);
  const ForceStatistics statistics = solver.accelerate(store, PairLaw{1, 0.01, MultipoleOrder::monopole});
  EXPECT_EQ(statistics.raw.total(), 500U * 500U);
}

}  // namespace
}  // namespace multiwalk
