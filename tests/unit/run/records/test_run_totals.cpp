// SPDX-License-Identifier: GPL-3.0-or-later
// Totals of a run: sums over steps, census interpolation in ln a with its error, and Hamada et al. (2009) end to end.
#include <gtest/gtest.h>

#include <cmath>

#include "run/records/run_totals.hpp"
#include "run/report/run_figures.hpp"

namespace multiwalk {
namespace {

StepRecord step_at(std::uint64_t number, double a, std::uint64_t particle_pairs, std::uint64_t cell_pairs) {
  StepRecord step;
  step.step = number;
  step.a = a;
  step.z = 1 / a - 1;
  step.raw = {particle_pairs, cell_pairs, 10};
  step.seconds = {0.5, 0.25, 1, 0, 0, 2, 0, 0.25, 0, 0};
  return step;
}

RunRecord three_steps() {
  RunRecord record;
  record.particles = 1000;
  record.wall_seconds = 20;
  record.steps = {step_at(1, 0.1, 100, 300), step_at(2, 0.2, 200, 600), step_at(3, 0.4, 300, 900)};
  return record;
}

CensusRecord census(std::uint64_t step, double a, std::uint64_t raw, double effective, double error) {
  CensusRecord record;
  record.step = step;
  record.a = a;
  record.raw_pairs = raw;
  record.effective = {effective, error, 50};
  return record;
}

TEST(RunTotals, AddUp) {
  const RunTotals totals = run_totals(three_steps(), {});
  EXPECT_EQ(totals.steps, 3U);
  EXPECT_EQ(totals.raw.particle_pairs, 600U);
  EXPECT_EQ(totals.raw.cell_pairs, 1800U);
  EXPECT_DOUBLE_EQ(totals.seconds[static_cast<std::size_t>(Phase::device)], 6);
  EXPECT_DOUBLE_EQ(totals.particles_per_second, 3000 / 12.0);
  EXPECT_DOUBLE_EQ(totals.cost.tflops_raw, 38 * 2400 / 20.0 * 1e-12);
  EXPECT_FALSE(totals.effective);
  EXPECT_FALSE(totals.cost.price);
}

TEST(RunTotals, RatioIsLinearInLnABetweenEpochsAndConstantBeyond) {
  RunRecord record = three_steps();
  record.census = {census(3, 0.4, 1200, 400, 4), census(1, 0.1, 400, 200, 4)};
  const CensusRatio ratio(record);
  EXPECT_DOUBLE_EQ(ratio.at(record.steps[0]), 2);
  EXPECT_NEAR(ratio.at(record.steps[1]), 2.5, 1e-12);
  EXPECT_DOUBLE_EQ(ratio.at(step_at(9, 0.9, 1, 1)), 3);
  EXPECT_DOUBLE_EQ(ratio.at(step_at(0, 0.05, 1, 1)), 2);

  const RunTotals totals = run_totals(record, {});
  ASSERT_TRUE(totals.effective);
  EXPECT_NEAR(totals.effective->pairs, 200 + 320 + 400, 1e-9);
  // d(total)/d(ratio) is -(200/2 + 0.5 320/2.5) and -(0.5 320/2.5 + 400/3); the ratios' errors are 2 x 2% and 3 x 1%.
  EXPECT_NEAR(totals.effective->standard_error, std::hypot(164 * 0.04, (64 + 400 / 3.0) * 0.03), 1e-9);
  EXPECT_EQ(totals.effective->sample, 100U);
}

/// As in a manipulated checkpoint.
TEST(RunTotals, ImpossibleEpochsCountNothing) {
  RunRecord record = three_steps();
  record.census = {census(1, -1, 400, 200, 4), census(3, 0.4, 1200, 400, 4)};
  EXPECT_FALSE(run_totals(record, {}).effective);
  EXPECT_FALSE(sustained_figures(record, {})->effective_pairs);
}

TEST(RunTotals, IsolatedRunsInterpolateInTheStepNumber) {
  RunRecord record = three_steps();
  record.comoving = false;
  for (StepRecord& step : record.steps) step.a = 1;
  record.census = {census(1, 1, 400, 200, 1), census(3, 1, 1200, 400, 1)};
  EXPECT_NEAR(CensusRatio(record).at(record.steps[1]), 2.5, 1e-12);
}

TEST(RunTotals, HamadaEtAl2009) {
  RunRecord record;
  record.particles = 562232867;
  record.wall_seconds = 4894;
  for (std::uint64_t i = 1; i <= 394; ++i) {
    record.steps.push_back(step_at(i, 0.04 + 1e-5 * static_cast<double>(i), 2583082000000000 / 394, 0));
  }
  record.census = {census(1, 0.04, 237, 100, 1)};
  CostParameters prices;
  prices.machine_price = 168172;
  const RunTotals totals = run_totals(record, prices);
  EXPECT_NEAR(totals.cost.tflops_raw, 20.06, 0.005);
  EXPECT_NEAR(totals.effective->pairs, 1.09e15, 0.002e15);
  EXPECT_NEAR(totals.cost.tflops_effective, 8.46, 0.01);
  EXPECT_NEAR(*totals.cost.per_gflops_effective, 19.8, 0.1);
}

}  // namespace
}  // namespace multiwalk
