// SPDX-License-Identifier: GPL-3.0-or-later
// The walk kernel against double-precision sums: formulas, group sizes, list shapes, accumulation.
#include <cstdio>
#include <numeric>

#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {
namespace {

class WalkKernel : public testing::Test {
 protected:
  void SetUp() override {
    backend_ = backend_or_null();
    if (!backend_) GTEST_SKIP() << "no CUDA device";
  }
  std::unique_ptr<ForceBackend> backend_;
};

std::vector<std::uint32_t> first_cells(std::uint32_t count) {
  std::vector<std::uint32_t> cells(count);
  std::iota(cells.begin(), cells.end(), 0U);
  return cells;
}

/// Targets 0, 2, 4 .. each see one source, 1, 3, 5 ..; coordinates are exact in single precision.
TEST_F(WalkKernel, OneInteractionIsWithinOneInAMillion) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int> digit(-2000, 2000);
  for (const double softening : {0.0, 0.25}) {
    Problem problem;
    for (int i = 0; i < 20000; ++i) {
      problem.position.push_back({digit(random) / 1024.0, digit(random) / 1024.0, digit(random) / 1024.0});
      problem.mass.push_back(1.5F);
    }
    problem.reset();
    for (std::uint32_t i = 0; i < 20000; i += 2) problem.add_walk({0, 0, 0}, i, 1, {}, {{i + 1, 1}});
    const PairLaw law{43.0, softening, MultipoleOrder::monopole};
    evaluate(*backend_, problem, law, problem.targets(false));
    const Errors e = errors(problem, law, false);
    std::printf("one interaction, softening %g: acceleration %.2e, potential %.2e\n", softening, e.pull, e.potential);
    EXPECT_LT(e.pull, 1e-6);
    EXPECT_LT(e.potential, 5e-7);
  }
}

struct KernelLaw {
  double softening;
  MultipoleOrder order;
};

class WalkKernelLaws : public WalkKernel, public testing::WithParamInterface<KernelLaw> {};

/// Groups of 1 to 2000 targets, lists of ragged ranges and cells, own particles among the sources.
TEST_P(WalkKernelLaws, AgreeWithDoublePrecision) {
  constexpr std::uint32_t n = 12000, nodes = 3000;
  Problem problem = random_problem(n, nodes, 1);
  std::mt19937_64 random(2);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  std::uint32_t first = 0;
  for (const std::uint32_t count : {1U,   2U,   3U,   7U,   31U,  32U,  33U,  64U,   100U,  127U,  129U, 200U,
                                    255U, 257U, 300U, 400U, 511U, 520U, 777U, 1024U, 1025U, 1500U, 2000U}) {
    std::vector<std::uint32_t> cells;
    for (std::uint32_t c = below(1500); c > 0; --c) cells.push_back(below(nodes));
    std::vector<ParticleRange> ranges{{first, count}};
    for (std::uint32_t r = below(600); r > 0; --r) ranges.push_back({below(n - 40), below(40)});
    ranges.push_back({0, n / 2});
    problem.add_walk(problem.position[first], first, count, cells, ranges);
    first += count;
  }
  ASSERT_LE(first, n);
  const PairLaw law{43.0, GetParam().softening, GetParam().order};
  // A range may contain the group: own pairs then occur twice, and are excluded once by definition.
  for (Walk& walk : problem.batch.walks) {
    for (std::uint32_t r = 1; r < walk.range_count; ++r) {
      ParticleRange& range = problem.batch.ranges[walk.range_first + r];
      if (range.first < walk.target_first + walk.target_count && walk.target_first < range.first + range.count)
        range.count = 0;
    }
  }
  evaluate(*backend_, problem, law, problem.targets());
  const Errors e = errors(problem, law);
  std::printf("softening %g, %s: acceleration %.2e, potential %.2e of the sum of magnitudes\n", law.softening,
              law.order == MultipoleOrder::monopole ? "monopole" : "quadrupole", e.pull, e.potential);
  EXPECT_LT(e.pull, 5e-7);
  EXPECT_LT(e.potential, 5e-7);
}

INSTANTIATE_TEST_SUITE_P(All, WalkKernelLaws,
                         testing::Values(KernelLaw{0, MultipoleOrder::monopole},
                                         KernelLaw{0, MultipoleOrder::quadrupole},
                                         KernelLaw{0.02, MultipoleOrder::monopole},
                                         KernelLaw{0.02, MultipoleOrder::quadrupole}));

/// All sources pull the same way, so single-precision sums of the whole list would lose digits.
TEST_F(WalkKernel, LongListsKeepSevenDigits) {
  constexpr std::uint32_t n = 1000000;
  Problem problem = random_problem(n, 0, 3);
  for (std::uint32_t i = 64; i < n; ++i) problem.position[i].x += 5;
  problem.add_walk(problem.position[0], 0, 64, {}, {{64, n - 64}});
  const PairLaw law{1.0, 0.01, MultipoleOrder::monopole};
  evaluate(*backend_, problem, law, problem.targets(false));
  const Errors e = errors(problem, law, false);
  std::printf("10^6 sources: acceleration %.2e, potential %.2e\n", e.pull, e.potential);
  EXPECT_LT(e.pull, 2e-7);
  EXPECT_LT(e.potential, 2e-7);
}

/// The same addend again and again is rounded the same way each time: the worst case of partial sums.
TEST_F(WalkKernel, EqualSourcesDoNotDrift) {
  Problem problem = random_problem(11000, 1, 6);
  for (std::uint32_t i = 1000; i < 11000; ++i) problem.position[i] = problem.position[1000] + Vec3d{4, 0, 0};
  for (const std::uint32_t count : {1U, 60U, 500U, 1000U}) {
    problem.batch.clear();
    problem.add_walk(problem.position[0], 0, count, std::vector<std::uint32_t>(10000, 0), {{1000, 10000}});
    const PairLaw law{1.0, 0.0, MultipoleOrder::monopole};
    evaluate(*backend_, problem, law, problem.targets(false));
    const Errors e = errors(problem, law, false);
    std::printf("10^4 equal sources, %u targets: acceleration %.2e, potential %.2e\n", count, e.pull, e.potential);
    EXPECT_LT(e.pull, 2e-6);
    EXPECT_LT(e.potential, 2e-6);
  }
}

TEST_F(WalkKernel, EmptyListsGiveZero) {
  expect_zero_of_empty_lists(*backend_);
}

TEST_F(WalkKernel, CoincidentParticlesAreFinite) {
  constexpr std::uint32_t n = 10000;
  for (const double softening : {0.0, 0.5}) {
    Problem problem;
    problem.position.assign(n, Vec3d{3, 4, 5});
    problem.mass.assign(n, 2.0F);
    problem.reset();
    for (std::uint32_t i = 0; i < n; i += 1000) problem.add_walk({3, 4, 5}, i, 1000, {}, {{0, n}});
    evaluate(*backend_, problem, {1.0, softening, MultipoleOrder::quadrupole}, problem.targets());
    const double expected = softening > 0 ? -2.0 * (n - 1) / softening : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(problem.acceleration[i], (Vec3f{0, 0, 0}));
      ASSERT_NEAR(problem.potential[i], expected, 1e-6 * std::fabs(expected));
    }
  }
}

/// Nearly coincident pairs (in double, not in single precision) neither overflow nor lose the other sources.
TEST_F(WalkKernel, NearlyCoincidentPairsAreFinite) {
  Problem problem = random_problem(1000, 100, 5);
  for (std::size_t i = 0; i < 500; ++i)
    problem.position[i + 500] = problem.position[i] + Vec3d{1e-13 * double(i), 0, 0};
  problem.add_walk(problem.position[0], 0, 500, first_cells(100), {{0, 1000}});
  evaluate(*backend_, problem, {1.0, 0.0, MultipoleOrder::quadrupole}, problem.targets());
  for (std::size_t i = 0; i < 500; ++i) {
    const Vec3f a = problem.acceleration[i];
    ASSERT_TRUE(std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z)) << i;
    ASSERT_TRUE(std::isfinite(problem.potential[i])) << i;
  }
}

}  // namespace
}  // namespace multiwalk::device_test
