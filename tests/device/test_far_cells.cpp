// SPDX-License-Identifier: GPL-3.0-or-later
// Far cells on tensor cores against double-precision sums. Monopoles keep single precision but for sums, which tensor
// cores cut off: some 2^-23 for each of 32 blocks of 8 cells, times (|X| + |x|) / R = 5 at the worst. Of quadrupoles,
// a tenth of the pull or less here, a pair is cut off by up to 1.3 x 2^-11, and over N pairs of like strength that adds
// up as a random walk.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "host/gravity/far_pair.hpp"
#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {
namespace {

constexpr double usual = 1e-5, worst_rounding = 2.5e-5;  ///< of the sum of magnitudes, without quadrupoles
const Vec3d middle{1000.5, 2000.5, -499.5};  ///< of random_problem's targets, as a group's box would have it

struct Law {
  double softening;
  MultipoleOrder order;
};

class FarCells : public testing::TestWithParam<Law> {
 protected:
  void SetUp() override {
    backend_ = backend_or_null();
    if (!backend_) GTEST_SKIP() << "no CUDA device";
  }
  [[nodiscard]] static PairLaw law() { return {43.0, GetParam().softening, GetParam().order}; }

  /// Evaluates the problem's walks. Errors are within five standard deviations: a pull's share of the sum of the
  /// magnitudes of `cells` pulls is 1.5 / cells or so.
  void expect_rounding_only(Problem& problem, std::uint32_t cells, double rounding, const char* what) {
    problem.reset();
    evaluate(*backend_, problem, law(), problem.targets(false));
    const Errors e = errors(problem, law(), false);
    const double cut = 0x1p-11 * std::min(1.3, 5 * 1.5 / std::sqrt(3.0 * std::max(cells, 1U)));
    const bool quadrupole = law().order == MultipoleOrder::quadrupole;
    std::printf("softening %g, %s, %s, %u cells: acceleration %.2e, potential %.2e of the sum of magnitudes\n",
                law().softening, quadrupole ? "quadrupole" : "monopole", what, cells, e.pull, e.potential);
    EXPECT_LT(e.pull, rounding + (quadrupole ? 0.1 * cut : 0));
    EXPECT_LT(e.potential, 5e-6 + (quadrupole ? 0.1 * cut : 0));
  }

  std::unique_ptr<ForceBackend> backend_;
};

void all_far(Problem& problem) {
  for (Walk& walk : problem.batch.walks) walk.far_count = walk.cell_count;
}

/// Groups that fill rows of 16 or not, one warp or all, one pass or several; lists that fill blocks of 8 and tiles or
/// not.
TEST_P(FarCells, AgreeWithDoublePrecision) {
  constexpr std::uint32_t nodes = 3000;
  Problem problem = random_problem(3000, nodes, 1);
  for (const std::uint32_t cells : {0U, 1U, 7U, 8U, 9U, 255U, 1000U}) {
    problem.batch.clear();
    std::uint32_t first = 0;
    for (const std::uint32_t count : {1U, 5U, 16U, 17U, 64U, 150U, 512U, 700U, 1500U}) {
      std::vector<std::uint32_t> list(cells);
      for (std::uint32_t c = 0; c < cells; ++c) list[c] = (7 * c + first) % nodes;
      problem.add_walk(middle, first, count, list, {});
      first += count;
    }
    all_far(problem);
    expect_rounding_only(problem, cells, usual, "far");
  }
}

/// Far cells, near cells and particles add up.
TEST_P(FarCells, ShareAWalkWithNearCellsAndParticles) {
  Problem problem = random_problem(3000, 600, 2);
  std::vector<std::uint32_t> list(600);
  std::iota(list.begin(), list.end(), 0U);
  std::uint32_t first = 0;
  for (const std::uint32_t far : {0U, 1U, 300U, 599U, 600U}) {
    problem.add_walk(middle, first, 130, list, {{2000, 500}, {2600, 1}});
    problem.batch.walks.back().far_count = far;
    first += 130;
  }
  expect_rounding_only(problem, 600, usual, "mixed");
}

/// The closest that far cells come to a group's box: where R^2 loses the most digits.
TEST_P(FarCells, KeepTheirDigitsAtTheLeastDistance) {
  Problem problem = random_problem(2000, 512, 3);
  const double least = far_factor * std::sqrt(0.75);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(0, 1);
  for (Multipole& m : problem.multipole) {
    const int axis = static_cast<int>(random() % 3);
    Vec3d d{unit(random) - 0.5, unit(random) - 0.5, unit(random) - 0.5};
    d[axis] = (0.5 + least) * (unit(random) < 0.5 ? -1 : 1);
    m.centre_of_mass = middle + d;
    for (float* moment : {&m.xx, &m.xy, &m.xz, &m.yy, &m.yz, &m.zz}) *moment *= 0.05F;
  }
  std::vector<std::uint32_t> list(512);
  std::iota(list.begin(), list.end(), 0U);
  problem.add_walk(middle, 0, 300, list, {});
  all_far(problem);
  expect_rounding_only(problem, 512, worst_rounding, "least distance");
}

/// The same cell again and again is rounded the same way each time: the worst case of partial sums.
TEST_P(FarCells, EqualCellsDoNotDrift) {
  Problem problem = random_problem(600, 1, 6);
  problem.add_walk(middle, 0, 600, std::vector<std::uint32_t>(10000, 0), {});
  all_far(problem);
  expect_rounding_only(problem, 1, worst_rounding, "10^4 equal");
}

INSTANTIATE_TEST_SUITE_P(All, FarCells,
                         testing::Values(Law{0, MultipoleOrder::monopole}, Law{0, MultipoleOrder::quadrupole},
                                         Law{0.02, MultipoleOrder::monopole}, Law{0.02, MultipoleOrder::quadrupole}));

}  // namespace
}  // namespace multiwalk::device_test
