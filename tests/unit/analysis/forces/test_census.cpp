// SPDX-License-Identifier: GPL-3.0-or-later
// The census against independent recursive walks: where theta is so large that cells holding the target are far, and in
// periodic boxes up to a cut-off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/forces/interaction_census.hpp"
#include "host/base/separation.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_models.hpp"
#include "tests/support/recursive_walker.hpp"
#include "tests/support/short_range_sum.hpp"

namespace multiwalk {
namespace {

TEST(Census, CellsThatHoldTheTargetAreOpenedAtAnyTheta) {
  ParticleStore store = test::plummer(800);
  const Cube cube = enclosing_cube(bounding_box(store.position));
  sort_by_key(store, cube);
  std::vector<test::Point> points;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const Vec3d p = store.position[i];
    points.push_back({{p.x, p.y, p.z}, static_cast<double>(store.mass[i])});
  }
  const double corner[3] = {cube.corner.x, cube.corner.y, cube.corner.z};
  for (const double theta : {1.0, 1.4, 3.0}) {
    test::WalkRules rules;
    rules.theta = theta;
    rules.group_size = 1;
    test::RecursiveWalker walker(points, corner, cube.side, rules);
    const test::PairCounts expected = walker.count();
    EXPECT_EQ(count_effective(CensusTree(store, cube, {}, {}), store, theta, {}).pairs,
              static_cast<double>(expected.particle_pairs + expected.cell_pairs))
        << theta;
  }
}

PairLaw law_of_unit_box(double cutoff) {
  return {1, 0.001, MultipoleOrder::monopole, 1, {cutoff / 5, cutoff}};
}

struct BoxWalk {
  const ParticleStore& store;
  double theta, cutoff;

  [[nodiscard]] Vec3d to(std::size_t target, Vec3d x) const { return separation(store.position[target], x, 1); }

  /// Length of the list of one target in a cell of these particles; `visit` gets each entry's separation and mass.
  template <class Visit>
  void operator()(std::size_t target, const std::vector<std::size_t>& cell, Vec3d corner, double side,
                  const Visit& visit) const {
    if (cell.empty()) return;
    Vec3d centre_of_mass;
    double mass = 0;
    for (const std::size_t i : cell) {
      centre_of_mass += static_cast<double>(store.mass[i]) * store.position[i];
      mass += static_cast<double>(store.mass[i]);
    }
    centre_of_mass *= 1 / mass;
    const Vec3d d = to(target, centre_of_mass);
    const bool inside = std::ranges::find(cell, target) != cell.end();
    if (cell.size() == 1 || (!inside && side < theta * norm(d))) {
      if (norm(d) <= cutoff) visit(d, mass);
      return;
    }
    std::vector<std::size_t> child[8];
    for (const std::size_t i : cell) {
      int octant = 0;
      for (int axis = 0; axis < 3; ++axis) octant += store.position[i][axis] < corner[axis] + side / 2 ? 0 : 1 << axis;
      child[octant].push_back(i);
    }
    for (int octant = 0; octant < 8; ++octant) {
      Vec3d at = corner;
      for (int axis = 0; axis < 3; ++axis) at[axis] += (octant >> axis & 1) * side / 2;
      (*this)(target, child[octant], at, side / 2, visit);
    }
  }
};

TEST(Census, OfABoxTakesNearestImagesUpToTheCutoff) {
  ParticleStore store = test::clusters_at_faces(900);
  const Cube cube = enclosing_cube(bounding_box(store.position));
  sort_by_key(store, cube);
  std::vector<std::size_t> all(store.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const double cutoff : {0.08, 0.3}) {
    for (const double theta : {0.0, 0.5, 1.0}) {
      const BoxWalk walk{store, theta, cutoff};
      double expected = 0;
      for (const std::size_t target : all) {
        walk(target, all, cube.corner, cube.side, [&](Vec3d, double) { ++expected; });
      }
      EXPECT_EQ(count_effective(CensusTree(store, cube, law_of_unit_box(cutoff), {}), store, theta, {}).pairs, expected)
          << cutoff << " " << theta;
    }
  }
}

/// The monopole walk whose short-range error relative to the whole acceleration has the given 99% error, or median.
TEST(Census, WalkOfEqualErrorOfSplitForces) {
  ParticleStore store = test::clusters_at_faces(1500);
  const Cube cube = enclosing_cube(bounding_box(store.position));
  sort_by_key(store, cube);
  const PairLaw law = law_of_unit_box(0.25);
  ForceTruth whole;
  std::vector<std::size_t> all(store.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t i : all) {
    whole.chosen.push_back(static_cast<std::uint32_t>(i));
    const ForceSum<double> sum = test::short_range_sum(store.position, store.mass, store.position[i], law);
    whole.pull.push_back({2 * sum.x, 2 * sum.y, 2 * sum.z});  // as if the mesh gave as much again
  }
  const CensusTree tree(store, cube, law, {});
  const auto errors_at = [&](double theta) {
    std::vector<double> errors;
    for (const std::size_t i : all) {
      Vec3d pull;
      BoxWalk{store, theta, law.split.cutoff}(i, all, cube.corner, cube.side, [&](Vec3d d, double mass) {
        const ForceSum<double> pair = test::short_range_pair(d, law.softening, law.split);
        if (norm2(d) > 0) pull += mass * Vec3d{pair.x, pair.y, pair.z};
      });
      errors.push_back(norm(pull - 0.5 * whole.pull[i]) / norm(whole.pull[i]));
    }
    return percentiles(std::move(errors));
  };
  for (const ErrorLevel asked : {ErrorLevel{0.01, false}, ErrorLevel{0.002, true}}) {
    const EqualErrorCount found = count_equal_error_monopole(tree, store, law, whole, asked);
    const auto error_at = [&](double theta) {
      return asked.of_median ? errors_at(theta).median : errors_at(theta).p99;
    };
    // Errors jump with theta, which is known to 0.3%.
    EXPECT_LT(error_at(0.997 * found.theta), 1.02 * asked.error);
    EXPECT_GT(error_at(1.1 * found.theta), asked.error);
    EXPECT_EQ(found.count.pairs, count_effective(tree, store, found.theta, {}).pairs);
  }
}

TEST(Census, SmallSamplesAreComparedByTheirMedian) {
  ErrorPercentiles e{1e-4, 2e-4, 3e-4, 4e-4, 1000};
  EXPECT_EQ(level_of(e).error, 3e-4);
  EXPECT_FALSE(level_of(e).of_median);
  e.sample = 999;
  EXPECT_EQ(level_of(e).error, 1e-4);
  EXPECT_TRUE(level_of(e).of_median);
}

}  // namespace
}  // namespace multiwalk
