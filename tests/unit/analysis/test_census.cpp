// The census against an independent recursive walk, where theta is so large that cells holding the target are far.
#include <gtest/gtest.h>

#include "analysis/interaction_census.hpp"
#include "tests/support/models.hpp"
#include "tests/support/recursive_walker.hpp"

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
    EXPECT_EQ(count_effective(store, cube, theta, 0).pairs,
              static_cast<double>(expected.particle_pairs + expected.cell_pairs))
        << theta;
  }
}

}  // namespace
}  // namespace multiwalk
