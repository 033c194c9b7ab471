// SPDX-License-Identifier: GPL-3.0-or-later
// The tuner finds the fastest sizes of made-up machines and then stays there.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "host/solver/gravity_solver.hpp"
#include "host/solver/size_tuner.hpp"

namespace multiwalk {
namespace {

using SecondsOfSizes = std::function<double(TreeSizes)>;

/// Fastest at these sizes, slower by `steepness` for every factor of two away.
SecondsOfSizes fastest_at(TreeSizes best, double steepness) {
  return [=](TreeSizes s) {
    const double group = std::log2(static_cast<double>(s.group) / best.group);
    const double leaf = std::log2(static_cast<double>(s.leaf) / best.leaf);
    return 1 + steepness * (std::fabs(group) + std::fabs(leaf));
  };
}

int evaluations_until_settled(SizeTuner& tuner, const SecondsOfSizes& seconds) {
  int evaluations = 0;
  while (!tuner.settled() && evaluations < 1000) {
    // The first evaluation is slow: it takes memory.
    tuner.record(seconds(tuner.sizes()) * (evaluations++ == 0 ? 10 : 1));
  }
  return evaluations;
}

TEST(SizeTuner, FindsTheFastestSizesFromAnywhere) {
  for (const TreeSizes best : {TreeSizes{64, 8}, TreeSizes{256, 32}, TreeSizes{4096, 64}, TreeSizes{1024, 16}}) {
    for (const TreeSizes start : {TreeSizes{64, 64}, TreeSizes{512, 16}, TreeSizes{4096, 8}}) {
      SizeTuner tuner(start, true);
      EXPECT_LT(evaluations_until_settled(tuner, fastest_at(best, 0.3)), 40);
      EXPECT_EQ(tuner.sizes(), best);
    }
  }
}

TEST(SizeTuner, ScatterOfTheTimesDoesNotDriveItAway) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> noise(1, 1.015);
  for (int machine = 0; machine < 100; ++machine) {
    SizeTuner tuner({512, 16}, true);
    evaluations_until_settled(tuner, [&](TreeSizes s) { return noise(random) * fastest_at({512, 16}, 0.15)(s); });
    EXPECT_EQ(tuner.sizes(), (TreeSizes{512, 16}));
  }
}

TEST(SizeTuner, LargerGroupsAreTakenForTheirErrorsWhereTheyCostLittle) {
  const auto slower_by = [](double step) {
    return [step](TreeSizes s) { return 1 + step * std::log2(s.group / 128.0) + std::fabs(std::log2(s.leaf / 16.0)); };
  };
  SizeTuner cheap({128, 16}, true), dear({128, 16}, true);
  evaluations_until_settled(cheap, slower_by(0.05));
  evaluations_until_settled(dear, slower_by(0.12));
  EXPECT_EQ(cheap.sizes().group, 256U);  // no larger: beyond it errors were not seen to fall
  EXPECT_LE(dear.sizes().group, 128U);
}

TEST(SizeTuner, NeverLeavesTheSizesThatMakeSense) {
  SizeTuner larger({2048, 32}, true), smaller({128, 16}, true);
  evaluations_until_settled(larger, [](TreeSizes s) { return 1.0 / (s.group * s.leaf); });
  evaluations_until_settled(smaller, [](TreeSizes s) { return 1.0 * s.group * s.leaf; });
  EXPECT_EQ(larger.sizes(), (TreeSizes{4096, 64}));
  EXPECT_EQ(smaller.sizes(), (TreeSizes{64, 8}));
}

/// Every size but the given one takes twice as long: each trial loses a second.
TEST(SizeTuner, TrialsCostAtMostHalfAPercentOfTheRun) {
  const SecondsOfSizes dear = fastest_at({512, 16}, 1);
  for (const double evaluations : {20.0, 300.0, 700.0}) {
    SizeTuner tuner({512, 16}, true, evaluations);
    const int made = evaluations_until_settled(tuner, dear);
    EXPECT_EQ(tuner.sizes(), (TreeSizes{512, 16}));
    EXPECT_EQ(tuner.lost(), std::floor(0.005 * evaluations) + 1)
        << evaluations;                                // the trial that exceeds it is noticed only then
    EXPECT_EQ(made, 3 + tuner.lost()) << evaluations;  // the first, two with the start's sizes, the trials
  }
  SizeTuner patient({512, 16}, true);
  EXPECT_EQ(evaluations_until_settled(patient, dear), 11);
  EXPECT_EQ(patient.lost(), 8);
}

/// Trials that find faster sizes lose nothing.
TEST(SizeTuner, FasterSizesCostNothing) {
  SizeTuner tuner({64, 16}, true, 400);
  evaluations_until_settled(tuner, fastest_at({1024, 16}, 0.3));
  EXPECT_EQ(tuner.sizes(), (TreeSizes{1024, 16}));
  EXPECT_LT(tuner.lost(), 400 * 0.005 + 1);
  EXPECT_GT(tuner.lost(), 0);
}

TEST(SizeTuner, IsToldSecondsThatSizesChange) {
  ForceStatistics statistics;
  for (std::size_t p = 0; p < phase_count; ++p) statistics.seconds[p] = static_cast<double>(1 << p);
  const auto of = [](Phase phase) { return static_cast<double>(1 << static_cast<int>(phase)); };
  const double changing = total(statistics.seconds) - of(Phase::sort) - of(Phase::mesh) - of(Phase::let);
  EXPECT_EQ(statistics.seconds_of_sizes(), changing);
  statistics.delivering = 3;
  EXPECT_EQ(statistics.seconds_of_sizes(), changing - 3);
  ForceStatistics twice = statistics;
  EXPECT_EQ((twice += statistics).seconds_of_sizes(), 2 * (changing - 3));
}

TEST(SizeTuner, SizesThatAreGivenStay) {
  SizeTuner tuner({100, 3}, false);
  EXPECT_TRUE(tuner.settled());
  tuner.record(1);
  EXPECT_EQ(tuner.sizes(), (TreeSizes{100, 3}));
}

TEST(SizeTuner, OddSizesAreAStartToo) {
  SizeTuner tuner({300, 5}, true);
  evaluations_until_settled(tuner, fastest_at({150, 5}, 0.3));
  EXPECT_EQ(tuner.sizes().group, 150U);
}

}  // namespace
}  // namespace multiwalk
