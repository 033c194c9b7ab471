// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "run/evolve/measurement_budget.hpp"

namespace multiwalk {
namespace {

ExpectedRun run_of(std::uint64_t particles, bool periodic, bool on_device) {
  return {particles, 400, 4, periodic, on_device};
}

TEST(MeasurementBudget, DevicesMeasureEveryPercentile) {
  for (const bool periodic : {false, true}) {
    EXPECT_EQ(measurement_budget(run_of(134'000'000, periodic, true)).error_sample, full_error_sample);
  }
}

TEST(MeasurementBudget, SmallRunsMeasureAllTheSame) {
  ExpectedRun few = run_of(20'000, true, false);
  EXPECT_GT(measurement_budget(few).error_sample, 300U);
  few.periodic = false;
  EXPECT_EQ(measurement_budget(few).error_sample, full_error_sample);
}

TEST(MeasurementBudget, EwaldSumsOnTheHostStayBelowAHundredthOfTheRun) {
  const ExpectedRun box = run_of(16'777'216, true, false);
  const MeasurementBudget budget = measurement_budget(box);
  const double run = 400.0 * 16'777'216 * 2500;
  EXPECT_LE(4.0 * budget.error_sample * 16'777'216 * 130, 0.0101 * run);
  EXPECT_GE(budget.error_sample, 15U);
  EXPECT_LT(budget.error_sample, 100U);
}

TEST(MeasurementBudget, ShortRunsCountFewEpochs) {
  ExpectedRun run = run_of(134'000'000, true, true);
  run.evaluations = 10;
  EXPECT_EQ(measurement_budget(run).census_epochs, 2U);
  run.on_device = false;
  run.evaluations = 1000;
  EXPECT_EQ(measurement_budget(run).census_epochs, 4U);
}

}  // namespace
}  // namespace multiwalk
