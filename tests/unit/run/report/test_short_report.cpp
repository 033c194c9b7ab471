// SPDX-License-Identifier: GPL-3.0-or-later
// What of a long report a page holds: sums and means of rows, measured steps alone, in few bytes.
#include <gtest/gtest.h>

#include <cmath>

#include "run/report/report.hpp"
#include "run/report/short_report.hpp"
#include "tests/support/page_data.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

constexpr std::size_t device_phase = 5, other_phase = 9;

OutputRecord output_at(double time, double z) {
  return {time, z, {{"snapshots", json::array({"file"})}, {"image", ""}, {"halos", nullptr}, {"power", nullptr}}};
}

RunRecord long_record(std::uint64_t steps, bool direct = false) {
  RunRecord record;
  record.particles = 1000;
  record.comoving = false;
  for (std::uint64_t i = 0; i <= steps; ++i) {
    StepRecord step;
    step.step = i;
    step.time = 0.125 * static_cast<double>(i);
    step.seconds[device_phase] = 0.1 + 0.001 * static_cast<double>(i % 7);
    step.seconds[other_phase] = 0.0123456789;
    step.raw = {60000 + i, 3000000, 12};
    step.ranks.ranks = 2;
    step.block = {.substeps = 2, .evaluations = 1500, .rungs = {900, 100}};
    step.update_speed(record.particles);
    step.energy_error = i == 777 ? -0.5 : 1e-6 / 3;
    if (direct) step.diagnostics.emplace().time = step.time;
    record.steps.push_back(step);
  }
  if (steps < 701) return record;
  for (const std::uint64_t i : {0U, 500U}) record.outputs.push_back(output_at(record.steps[i].time, 0));
  record.errors.push_back({record.steps[600].time, 0, {}, {}});
  record.census.push_back({.step = 701, .raw_pairs = 1, .effective = {1, 0, 1}});
  return record;
}

json report_of(const RunRecord& record) {
  return json::parse(report_json(record, {}).dump());
}

constexpr std::uint64_t many_steps = 4000;

/// That of many steps, made once, and what a page holds of it.
const json& long_report() {
  static const json report = report_of(long_record(many_steps));
  return report;
}
const json& long_report_in_short() {
  static const json brief = short_report(long_report());
  return brief;
}

TEST(ShortReport, OfAShortRunKeepsItsRows) {
  const json report = report_of(long_record(100)), brief = short_report(report);
  ASSERT_EQ(brief["steps"].size(), 101U);
  for (std::size_t i = 0; i <= 100; ++i) {
    EXPECT_EQ(brief["steps"][i]["time"], report["steps"][i]["time"]);
    EXPECT_FALSE(brief["steps"][i].contains("over_ranks"));
    EXPECT_FALSE(brief["steps"][i]["seconds"].contains("sort"));
    EXPECT_NEAR(brief["steps"][i]["raw_pairs"].get<double>(), report["steps"][i]["raw_pairs"].get<double>(), 50);
  }
  EXPECT_EQ(brief["steps"][1]["seconds"]["other"].dump(), "0.012346");
  EXPECT_EQ(brief["energy"]["steps"][1].dump(), "3.3333e-07");
}

TEST(ShortReport, SumsAndMeansOfALongRunStay) {
  const json& brief = long_report_in_short();
  EXPECT_LE(brief["steps"].size(), most_rows_of_page + 10);
  ASSERT_GE(brief["steps"].size(), most_rows_of_page - 10);
  ASSERT_EQ(brief["energy"]["steps"].size(), brief["steps"].size());
  double steps = 0, substeps = 0, seconds = 0, parts = 0, pairs = 0, advanced = 0, last = -1;
  for (const json& row : brief["steps"]) {
    const auto of = [&](const char* key) { return row["seconds"].value(key, 0.0); };
    steps += row.value("steps_covered", 1.0);
    substeps += row["block"]["substeps"].get<double>();
    seconds += of("total");
    parts += of("device") + of("other");
    pairs += row["raw_pairs"].get<double>();
    advanced += row["particles_per_second"].get<double>() * of("total");
    EXPECT_GT(row["time"].get<double>(), last);
    last = row["time"];
  }
  const RunRecord record = long_record(many_steps);
  double all = 0, raw = 0, evaluations = 0;
  for (const StepRecord& step : record.steps) {
    all += total(step.seconds);
    raw += static_cast<double>(step.raw.total());
    evaluations += 1500;
  }
  EXPECT_EQ(steps, many_steps + 1);
  EXPECT_EQ(substeps, 2 * (many_steps + 1));
  EXPECT_NEAR(seconds, all, 1e-4 * all);
  EXPECT_NEAR(parts, all, 1e-4 * all);
  EXPECT_NEAR(pairs, raw, 1e-4 * raw);
  EXPECT_NEAR(advanced, evaluations, 1e-3 * evaluations);
  EXPECT_EQ(last, 0.125 * many_steps);
}

TEST(ShortReport, MeasuredStepsStayAlone) {
  const json& brief = long_report_in_short();
  std::vector<double> measured;
  for (const json& row : brief["steps"]) {
    if (!row.contains("measured")) continue;
    measured.push_back(row["step"].get<double>());
    EXPECT_EQ(row.value("steps_covered", 1.0), 1) << row["step"];
  }
  EXPECT_EQ(measured, (std::vector<double>{0, 500, 600, 701}));
}

/// As the record of a long run has them (step_history.hpp).
TEST(ShortReport, RowsOfManyStepsWithAnOutputAreMeasured) {
  RunRecord record = long_record(10);
  for (StepRecord& step : record.steps) {
    if (step.step == 0) continue;
    step.covered = 4;
    step.step *= 4;
    step.time *= 4;
  }
  record.outputs = {output_at(4.75 * 0.125 * 4, 0)};
  record.census = {{.step = 30, .raw_pairs = 1, .effective = {1, 0, 1}}};
  const json brief = short_report(report_of(record));
  ASSERT_EQ(brief["steps"].size(), 11U);
  for (const json& row : brief["steps"])
    EXPECT_EQ(row.contains("measured"), row["step"] == 20 || row["step"] == 32) << row["step"];
}

TEST(ShortReport, ComovingOutputsAreFoundByRedshift) {
  RunRecord record = long_record(10);
  record.comoving = true;
  for (StepRecord& step : record.steps) step.z = 10 - static_cast<double>(step.step);
  record.outputs = {output_at(1e9, 3)};  // its time is a, that of a step is a time
  record.errors.clear();
  record.census.clear();
  const json brief = short_report(report_of(record));
  for (const json& row : brief["steps"]) EXPECT_EQ(row.contains("measured"), row["step"] == 7);
}

TEST(ShortReport, KeepsTheLargestEnergyError) {
  const json& brief = long_report_in_short();
  std::size_t at = 0;
  while (brief["energy"]["steps"][at] != -0.5) ASSERT_LT(++at, brief["steps"].size());
  EXPECT_GE(brief["steps"][at]["step"], 777);
  EXPECT_LT(brief["steps"][at]["step"], 777 + 100);
}

TEST(ShortReport, DiagnosticsAreThoseOfTheRows) {
  const json brief = short_report(report_of(long_record(1500, true)));
  ASSERT_EQ(brief["diagnostics"]["time"].size(), brief["steps"].size());
  for (std::size_t i = 0; i < brief["steps"].size(); ++i)
    EXPECT_EQ(brief["diagnostics"]["time"][i], brief["steps"][i]["time"]);
}

TEST(ShortReport, FitsIntoAPage) {
  for (const bool direct : {false, true}) {
    RunRecord record = long_record(2000, direct);
    for (StepRecord& step : record.steps) {
      step.seconds.fill(0.0123456789);
      step.ranks = {};
    }
    EXPECT_LT(report_html(report_of(record), ".").size(), 330000U) << direct;
  }
}

}  // namespace
}  // namespace multiwalk
