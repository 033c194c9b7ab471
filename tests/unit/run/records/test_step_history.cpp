// SPDX-License-Identifier: GPL-3.0-or-later
// A record of any number of steps: bounded in memory, report and checkpoint, with the totals of all steps.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "run/records/run_totals.hpp"
#include "run/records/step_history.hpp"
#include "run/report/report.hpp"
#include "run/report/run_figures.hpp"
#include "tests/support/page_data.hpp"

namespace multiwalk {
namespace {

StepRecord some_step(std::uint64_t number, bool blocks) {
  StepRecord step;
  step.step = number;
  step.a = 0.05 * std::exp(2e-5 * static_cast<double>(number));
  step.z = 1 / step.a - 1;
  step.time = step.a;
  step.raw = {1000 + number % 7, 3000 + number % 11 + number / 100, 12};
  step.seconds = {0.01, 0.02, 0.1 + 1e-3 * static_cast<double>(number % 13)};
  step.joules = static_cast<double>(number % 5);
  step.energy_error = number == 777 ? -0.5 : 1e-9 * static_cast<double>(number);
  step.ranks.ranks = 2;
  step.ranks.busy = {1, 1.5, 2};
  if (blocks) step.block = {3, 1000 + 500 * (number % 3), step.raw.total(), {600, 300, 100}};
  step.update_speed(1000);
  return step;
}

/// With a census at its beginning, at a third, and at its end.
RunRecord record_of(std::uint64_t steps, bool blocks, bool bounded) {
  RunRecord record;
  record.particles = 1000;
  record.ranks = 2;
  record.devices = 1;
  record.wall_seconds = 100;
  for (std::uint64_t i = 0; i <= steps; ++i) {
    if (bounded) {
      add_step(record, some_step(i, blocks));
    } else {
      record.steps.push_back(some_step(i, blocks));
    }
  }
  double ratio = 2;
  for (const std::uint64_t i : {std::uint64_t{0}, steps / 3, steps}) {
    const StepRecord step = some_step(i, blocks);
    record.census.push_back({i, step.a, step.raw.total(), {static_cast<double>(step.raw.total()) / ratio, 30, 100}});
    ratio *= 1.4;
  }
  return record;
}

TEST(StepHistory, KeepsFewRowsAndExactTotals) {
  constexpr std::uint64_t steps = 100000;
  for (const bool blocks : {false, true}) {
    const RunRecord all = record_of(steps, blocks, false), few = record_of(steps, blocks, true);
    EXPECT_LE(few.steps.size(), most_step_rows);
    EXPECT_GT(few.steps.size(), most_step_rows / 2 - 2);
    EXPECT_EQ(few.steps.front().covered, 1U);
    EXPECT_EQ(few.steps.back().covered, 1U);
    const RunTotals wanted = run_totals(all, {}), totals = run_totals(few, {});
    EXPECT_EQ(totals.steps, wanted.steps);
    EXPECT_EQ(totals.substeps, wanted.substeps);
    EXPECT_EQ(totals.raw.particle_pairs, wanted.raw.particle_pairs);
    EXPECT_EQ(totals.raw.cell_pairs, wanted.raw.cell_pairs);
    EXPECT_EQ(totals.raw.walks, wanted.raw.walks);
    EXPECT_NEAR(totals.evaluations / wanted.evaluations, 1, 1e-12);
    EXPECT_NEAR(total(totals.seconds) / total(wanted.seconds), 1, 1e-12);
    EXPECT_NEAR(totals.ranks.busy.max / wanted.ranks.busy.max, 1, 1e-12);
    // Counted at only three epochs, with errors of a few percent.
    EXPECT_NEAR(totals.effective->pairs / wanted.effective->pairs, 1, 2e-7);
    EXPECT_NEAR(totals.effective->standard_error / wanted.effective->standard_error, 1, 2e-6);
    const RunFigures sustained = sustained_figures(few, {}).value(), of_all = sustained_figures(all, {}).value();
    EXPECT_EQ(sustained.steps, steps);
    EXPECT_EQ(sustained.raw_pairs, of_all.raw_pairs);
    EXPECT_DOUBLE_EQ(sustained.joules.value(), of_all.joules.value());
  }
}

TEST(StepHistory, RowsFollowEachOtherAndSumUpTheirSteps) {
  const RunRecord record = record_of(70001, false, true);
  std::uint64_t last = 0, longest = 0;
  for (std::size_t i = 1; i < record.steps.size(); ++i) {
    const StepRecord& row = record.steps[i];
    std::uint64_t pairs = 0;
    double seconds = 0, place = 0;
    for (std::uint64_t s = row.step - row.covered + 1; s <= row.step; ++s) {
      const StepRecord step = some_step(s, false);
      pairs += step.raw.cell_pairs;
      seconds += total(step.seconds);
      place += std::log(step.a);
    }
    ASSERT_EQ(row.step - row.covered, last);
    EXPECT_EQ(row.raw.cell_pairs, pairs);
    const auto covered = static_cast<double>(row.covered);
    EXPECT_NEAR(row.particles_per_second, 1000 * covered / seconds, 1e-6);
    EXPECT_NEAR(std::log(row.a) - row.behind, place / covered, 1e-12);
    last = row.step;
    longest = std::max(longest, row.covered);
  }
  EXPECT_EQ(last, 70001U);
  EXPECT_EQ(longest, 64U);
}

TEST(StepHistory, KeepsTheLargestEnergyError) {
  RunRecord record = record_of(20000, false, true);
  nlohmann::json energy = report_json(record, {})["energy"];
  EXPECT_EQ(energy["layzer_irvine_relative"], 0.5);
  EXPECT_EQ(energy["final"], 1e-9 * 20000);
  EXPECT_EQ(energy["steps"].size(), record.steps.size());
  StepRecord broken = some_step(20001, false);
  broken.energy_error = std::numeric_limits<double>::quiet_NaN();
  add_step(record, broken);
  for (std::uint64_t i = 20002; i < 30000; ++i) add_step(record, some_step(i, false));
  EXPECT_TRUE(std::isnan(report_json(record, {})["energy"]["layzer_irvine_relative"].get<double>()));
}

TEST(StepHistory, ReportAndCheckpointDoNotGrow) {
  const auto bytes_of = [](std::uint64_t steps) {
    const RunRecord record = record_of(steps, true, true);
    const nlohmann::json report = report_json(record, {});
    return std::array{report.dump(1).size(), report_html(report, ".").size(), to_json(record).dump().size()};
  };
  const auto few = bytes_of(3 * most_step_rows), many = bytes_of(48 * most_step_rows);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_LT(static_cast<double>(many[i]), 1.1 * static_cast<double>(few[i])) << i;
    EXPECT_LT(many[i], 16U << 20) << i;
  }
}

TEST(StepHistory, GoesOnFromACheckpointAsIfNothingHadHappened) {
  const RunRecord whole = record_of(9000, true, true);
  RunRecord part;
  part.particles = whole.particles;
  for (std::uint64_t i = 0; i <= 9000; ++i) {
    if (i == 5003) part = record_from_json(nlohmann::json::parse(to_json(part).dump()));
    add_step(part, some_step(i, true));
  }
  EXPECT_EQ(to_json(part)["steps"], to_json(whole)["steps"]);
}

/// As in a manipulated checkpoint.
TEST(StepHistory, RowsWithoutDiagnosticsAreNoCrash) {
  RunRecord record;
  record.comoving = false;
  for (std::uint64_t i = 0; i < 4; ++i) {
    StepRecord step = some_step(i, true);
    if (i % 2 == 0) step.diagnostics.emplace();
    add_step(record, step);
  }
  const nlohmann::json report = report_json(record, {});
  EXPECT_EQ(report["diagnostics"]["time"].size(), 2U);
  EXPECT_FALSE(report_html(report, ".").empty());
}

TEST(StepHistory, AddsBlocksToStepsOfAllParticles) {
  RunRecord mixed, plain;
  mixed.particles = plain.particles = 1000;
  for (std::uint64_t i = 0; i < 3 * most_step_rows; ++i) {
    for (RunRecord* record : {&mixed, &plain}) {
      const StepRecord step = some_step(i, i >= most_step_rows - 2);
      if (record == &mixed) {
        add_step(*record, step);
      } else {
        record->steps.push_back(step);
      }
    }
  }
  EXPECT_EQ(run_totals(mixed, {}).evaluations, run_totals(plain, {}).evaluations);
  EXPECT_EQ(run_totals(mixed, {}).substeps, run_totals(plain, {}).substeps);
}

TEST(StepHistory, PageHasAllStepsInItsRows) {
  for (const std::uint64_t steps : {std::uint64_t{100}, std::uint64_t{2000}, std::uint64_t{50000}}) {
    const RunRecord record = record_of(steps, false, true);
    const nlohmann::json shown = test::page_data(report_html(report_json(record, {}), ".")).at("report");
    std::uint64_t covered = 0;
    double seconds = 0, pairs = 0;
    for (const nlohmann::json& row : shown["steps"]) {
      covered += row["steps_covered"].get<std::uint64_t>();
      seconds += row["seconds"]["total"].get<double>();
      pairs += row["raw_pairs"].get<double>();
      EXPECT_EQ(row["step"].get<std::uint64_t>() + 1, covered);
    }
    const RunTotals totals = run_totals(record, {});
    EXPECT_EQ(covered, steps + 1);
    EXPECT_NEAR(seconds / total(totals.seconds), 1, 1e-4);
    EXPECT_NEAR(pairs / static_cast<double>(totals.raw.total()), 1, 1e-4);
  }
}

}  // namespace
}  // namespace multiwalk
