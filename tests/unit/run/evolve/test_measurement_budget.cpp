// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "run/evolve/measurement_budget.hpp"

namespace multiwalk {
namespace {

ExpectedRun run_of(std::uint64_t particles, bool periodic, bool on_device) {
  return {particles, 400, 4, periodic, on_device};
}

TEST(MeasurementBudget, DevicesMeasureEveryPercentileInAVacuum) {
  EXPECT_EQ(measurement_budget(run_of(134'000'000, false, true)).error_sample, full_error_sample);
  EXPECT_EQ(measurement_budget(run_of(134'000'000, false, true)).final_error_sample, full_error_sample);
}

/// 512^3 particles from z = 127 to 0 with five outputs (run/examples/lcdm_512_gpu.toml): a 99% error at the end, and a
/// block of targets at the others.
TEST(MeasurementBudget, KnowsThe99PercentErrorAtTheEndOfALargeBoxOnADevice) {
  const ExpectedRun box{134'217'728, 2 * std::log(128.0) / 0.03, 5, true, true};
  EXPECT_EQ(measurement_budget(box).final_error_sample, 1000U);
  EXPECT_EQ(measurement_budget(box).error_sample, 128U);
}

/// 24^3 particles from z = 49 to 0 with five outputs on a host.
TEST(MeasurementBudget, IsForAWholeRunNotForEachOutput) {
  ExpectedRun box{13'824, 2 * std::log(50.0) / 0.03, 5, true, false};
  EXPECT_EQ(measurement_budget(box).error_sample, 75U);
  EXPECT_EQ(measurement_budget(box).final_error_sample, 75U);
  box.outputs = 1;
  EXPECT_EQ(measurement_budget(box).final_error_sample, 376U);
  box.outputs = 60;
  EXPECT_EQ(measurement_budget(box).error_sample, 0U);
  EXPECT_EQ(measurement_budget(box).final_error_sample, 376U);
}

TEST(MeasurementBudget, SmallRunsMeasureAllTheSame) {
  ExpectedRun few = run_of(20'000, true, false);
  EXPECT_GT(measurement_budget(few).error_sample, 100U);
  EXPECT_GE(measurement_budget(few).census_epochs, 1U);
  few.periodic = false;
  EXPECT_EQ(measurement_budget(few).error_sample, full_error_sample);
}

/// Costs in pairs of a walk, as the budget counts them.
double pairs_of(const ExpectedRun& run) {
  return run.evaluations * static_cast<double>(run.particles) * 2500;
}
double pairs_of_errors(const ExpectedRun& run) {
  const MeasurementBudget budget = measurement_budget(run);
  const double pair = run.on_device ? (run.periodic ? 25 : 1.2) : run.periodic ? 130 : 2;
  const double before = run.on_device ? (run.periodic ? 4000 : 1000) : 0, together = run.on_device ? 128 : 1;
  const auto pairs = [&](std::uint32_t sample) {
    return sample > 0 ? static_cast<double>(run.particles) * (before + pair * together * std::ceil(sample / together))
                      : 0;
  };
  const double others = std::max(static_cast<double>(run.outputs), 1.0) - 1 + (run.periodic ? 0 : budget.census_epochs);
  return pairs(budget.final_error_sample) + others * pairs(budget.error_sample);
}
double pairs_of_census(const ExpectedRun& run) {
  const MeasurementBudget budget = measurement_budget(run);
  const auto n = static_cast<double>(run.particles);
  const double searched = budget.error_sample * std::min(1.0, n / 1e4);
  return budget.census_epochs *
         (run.on_device ? 1.35e10 + 1.9e8 * searched + 3 * 2500 * n : 5e8 + 6.7e6 * searched + 0.25 * 2500 * n);
}

/// Short and long, small and large runs: 1.5% of the run, or seconds, but no more than 15% of the run.
TEST(MeasurementBudget, IsWithinItsShareOfEveryRun) {
  for (const bool on_device : {false, true}) {
    for (const bool periodic : {false, true}) {
      for (const std::uint64_t particles : {100ULL, 100'000ULL, 2'000'000ULL, 134'000'000ULL, 1'000'000'000ULL}) {
        for (const double evaluations : {1.0, 20.0, 400.0, 10'000.0}) {
          for (const std::uint64_t outputs : {0ULL, 1ULL, 30ULL}) {
            const ExpectedRun run{particles, evaluations, outputs, periodic, on_device};
            const double most = 0.07501 * pairs_of(run), trifle = on_device ? 6e10 : 2.5e8;
            EXPECT_LE(pairs_of_errors(run),
                      std::max({0.0061 * pairs_of(run), std::min(most, on_device ? 1e13 : 5e9), trifle}));
            EXPECT_LE(pairs_of_census(run),
                      std::max({0.0091 * pairs_of(run), std::min(most, on_device ? 3e11 : 7.5e9), trifle}));
          }
        }
      }
    }
  }
}

/// 256^3 on the host: Ewald sums of 11 particles; a run of a few blocks affords none.
TEST(MeasurementBudget, EwaldSumsOnTheHostAreFewOrNone) {
  ExpectedRun box = run_of(16'777'216, true, false);
  EXPECT_EQ(measurement_budget(box).error_sample, 11U);
  box.evaluations = 20;
  EXPECT_EQ(measurement_budget(box).error_sample, 0U);
}

TEST(MeasurementBudget, ShortRunsCountFewEpochsOrNone) {
  ExpectedRun run = run_of(134'000'000, true, true);
  EXPECT_EQ(measurement_budget(run).census_epochs, 1U);
  run.evaluations = 20;
  EXPECT_EQ(measurement_budget(run).census_epochs, 0U);
  run.on_device = false;
  run.evaluations = 1000;
  EXPECT_EQ(measurement_budget(run).census_epochs, 4U);
}

Parameters sphere() {
  Parameters p;
  p.model.kind = ModelKind::sphere;
  p.time.max_dlna = 0.05;
  p.time.z_end = 0;
  return p;
}

TEST(ExpectedEvaluations, CountStepsInLnA) {
  Parameters p = sphere();
  EXPECT_NEAR(expected_evaluations(p, Frame::comoving, 0.04, false), std::log(25.0) / 0.03,
              1e-9);  // no longer than a block
  p.time.max_dlna = 0.01;
  EXPECT_NEAR(expected_evaluations(p, Frame::comoving, 0.04, false), std::log(25.0) / 0.01, 1e-9);
  p.time.z_end = 4;
  EXPECT_NEAR(expected_evaluations(p, Frame::comoving, 0.04, false), std::log(5.0) / 0.01, 1e-9);
}

TEST(ExpectedEvaluations, CountTwoForABlock) {
  Parameters p = sphere();
  for (const ModelKind kind :
       {ModelKind::box, ModelKind::file}) {  // the boundary decides, not where particles come from
    p.model.kind = kind;
    p.time.steps = Steps::automatic;
    EXPECT_NEAR(expected_evaluations(p, Frame::comoving, 0.04, true), 2 * std::log(25.0) / 0.03, 1e-9);
    EXPECT_NEAR(expected_evaluations(p, Frame::comoving, 0.04, false), std::log(25.0) / 0.03, 1e-9);
    p.time.steps = Steps::global;
    EXPECT_NEAR(expected_evaluations(p, Frame::comoving, 0.04, true), std::log(25.0) / 0.03, 1e-9);
  }
  p.time.steps = Steps::block;
  EXPECT_NEAR(expected_evaluations(p, Frame::comoving, 0.04, false), 2 * std::log(25.0) / 0.03, 1e-9);
}

TEST(ExpectedEvaluations, CountTheLongestStepsOfIsolatedSystems) {
  Parameters p;
  p.model.kind = ModelKind::plummer;
  p.time.t_end = 10;
  EXPECT_EQ(expected_evaluations(p, Frame::newtonian, 2, false), 500);  // unknown
  p.time.max_dt = 0.5;
  EXPECT_EQ(expected_evaluations(p, Frame::newtonian, 2, false), 16);
}

TEST(ExpectedEvaluations, AreAtMostTheStepsAskedForAndAtLeastOne) {
  Parameters p = sphere();
  p.time.max_steps = 7;
  EXPECT_EQ(expected_evaluations(p, Frame::comoving, 0.04, false), 7);
  EXPECT_EQ(expected_evaluations(p, Frame::comoving, 0.04, true), 14);
  EXPECT_EQ(expected_evaluations(p, Frame::comoving, 1, true), 1);
}

TEST(SettledMeasurements, AreTheBudgetsWhereNothingIsGiven) {
  const ExpectedRun run = run_of(134'000'000, true, true);
  const MeasurementBudget budget = measurement_budget(run);
  for (const bool sample_given : {false, true}) {
    for (const bool epochs_given : {false, true}) {
      Parameters p;
      p.output.error_sample = 77;
      p.output.final_error_sample = 78;
      p.output.census_epochs = 9;
      if (sample_given) p.given["output.error_sample"];
      if (epochs_given) p.given["output.census_epochs"];
      settle_measurements(p, run);
      EXPECT_EQ(p.output.error_sample, sample_given ? 77U : budget.error_sample);
      EXPECT_EQ(p.output.final_error_sample, sample_given ? 78U : budget.final_error_sample);
      EXPECT_EQ(p.output.census_epochs, epochs_given ? 9U : budget.census_epochs);
    }
  }
}

TEST(SettledMeasurements, AreReported) {
  Parameters p;
  p.output.error_sample = p.output.final_error_sample = 111;
  p.output.census_epochs = 2;
  EXPECT_EQ(measurements_text(p),
            "measurements: force errors of 111 particles at each output; effective interactions at 2 epochs");
  p.output.final_error_sample = 1000;
  EXPECT_EQ(
      measurements_text(p),
      "measurements: force errors of 1000 particles at the last output and of 111 at others; effective interactions "
      "at 2 epochs");
  p.output.error_sample = p.output.final_error_sample = 0;
  p.output.census_epochs = 0;
  EXPECT_NE(measurements_text(p).find("no force errors, which would take too much of the run (output.error_sample)"),
            std::string::npos);
  p.given = {{"output.error_sample", {}}, {"output.census_epochs", {}}};
  EXPECT_EQ(measurements_text(p),
            "measurements: no force errors (output.error_sample); no effective interactions (output.census_epochs)");
}

}  // namespace
}  // namespace multiwalk
