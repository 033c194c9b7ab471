// SPDX-License-Identifier: GPL-3.0-or-later
// report.json keeps its names, adds up and survives a checkpoint; report.html needs no other file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "analysis/pictures/render_image.hpp"
#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/records/run_totals.hpp"
#include "run/report/report.hpp"
#include "tests/support/page_data.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

RunRecord sample_record(bool comoving) {
  RunRecord record;
  record.version = "1.2.3";
  record.machine = "a <machine> & more";
  record.backend = "cpu (portable)";
  record.started = "2026-01-01 00:00:00 UTC";
  record.particles = 1000;
  record.comoving = comoving;
  record.wall_seconds = 12.5;
  record.device_joules = 3;
  for (std::uint64_t i = 0; i <= 20; ++i) {
    StepRecord step;
    step.step = i;
    step.a = comoving ? 0.1 + 0.01 * static_cast<double>(i) : 1;
    step.z = 1 / step.a - 1;
    step.time = 0.1 * static_cast<double>(i);
    step.seconds = {0.01, 0.02, 0.1, 0.03, 0, 0.3, 0, 0.01, 0.02, 0.005};
    step.raw = {1000 + i, 3000 + 7 * i, 12};
    step.particles_per_second = 2020.0 + static_cast<double>(i);
    step.energy_error = -1e-5 * static_cast<double>((i + 2) % 7);  // the last is 1e-5
    record.steps.push_back(step);
  }
  for (std::uint64_t i : {0U, 20U}) {
    const StepRecord& step = record.steps[i];
    CensusRecord census;
    census.step = i;
    census.a = step.a;
    census.raw_pairs = step.raw.total();
    census.effective = {static_cast<double>(step.raw.total()) / 2, 30, 100};
    record.census.push_back(census);
    record.errors.push_back({step.time, step.z, {1e-4, 2e-4, 5e-4, 1e-3, 100}, {2e-4, 3e-4, 6e-4, 2e-3, 100}});
    record.outputs.push_back(
        {step.time, step.z, {{"snapshots", json::array({"snapshot_" + std::to_string(i) + ".hdf5"})}, {"image", ""}}});
  }
  if (comoving) {
    const json bins = json::array({{{"low", 1e11},
                                    {"high", 2e11},
                                    {"mass", 1.5e11},
                                    {"count", 9},
                                    {"density", 1e-3},
                                    {"error", 3e-4},
                                    {"fitted", 1.1e-3}},
                                   {{"low", 2e11},
                                    {"high", 4e11},
                                    {"mass", 3e11},
                                    {"count", 0},
                                    {"density", 0},
                                    {"error", 0},
                                    {"fitted", nullptr}}});
    const json function{{"fit", "a fit"}, {"bins", bins}};
    record.outputs.back().entries["halos"] = {{"file", "halos_20.hdf5"},
                                              {"halos", 1234},
                                              {"members", 56789},
                                              {"mass_functions", {{"fof", function}, {"mean200", function}}}};
  }
  return record;
}

class ReportFiles : public testing::Test {
 protected:
  ReportFiles()
      : directory_(std::filesystem::temp_directory_path() / ("multiwalk_report_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~ReportFiles() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& item : object.items()) names.insert(item.key());
  return names;
}

void expect_keys(const json& object, const std::set<std::string>& wanted) {
  const std::set<std::string> names = keys(object);
  for (const std::string& name : wanted) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Report, HasTheStableNames) {
  const json report = report_json(sample_record(true), {});
  expect_keys(report, {"version", "machine", "parameters", "steps", "totals", "force_error", "energy", "outputs"});
  expect_keys(report["steps"][0],
              {"step", "time", "a", "z", "seconds", "raw_pairs", "particles_per_second", "imbalance"});
  expect_keys(report["steps"][0]["seconds"], {"total", "sort", "tree", "walk", "pack", "transfer", "device", "let",
                                              "integration", "io", "other", "decompose"});
  expect_keys(report["totals"],
              {"wall_seconds", "steps", "raw_pairs", "effective_pairs", "effective_error", "tflops_raw",
               "tflops_effective", "usd_per_gflops_effective", "joules_per_effective_pair"});
  expect_keys(report["force_error"][0], {"z", "median", "p99", "max", "sample"});
  EXPECT_TRUE(report["energy"].contains("layzer_irvine_relative"));
  EXPECT_TRUE(report_json(sample_record(false), {})["energy"].contains("relative"));
  EXPECT_EQ(report["parameters"]["cosmology"]["omega_m"], 0.3111);
}

TEST(Report, AddsUp) {
  const json report = report_json(sample_record(true), {});
  std::uint64_t raw = 0;
  double effective = 0;
  for (const json& step : report["steps"]) {
    raw += step["raw_pairs"].get<std::uint64_t>();
    effective += step["effective_pairs"].get<double>();
    double sum = 0;
    for (const auto& [phase, seconds] : step["seconds"].items()) sum += phase == "total" ? 0 : seconds.get<double>();
    EXPECT_NEAR(step["seconds"]["total"].get<double>(), sum, 1e-12);
  }
  EXPECT_EQ(report["totals"]["raw_pairs"], raw);
  EXPECT_EQ(report["totals"]["steps"], 20);
  EXPECT_NEAR(report["totals"]["effective_pairs"].get<double>(), effective, 1e-9 * effective);
  EXPECT_NEAR(effective, static_cast<double>(raw) / 2, 1e-9 * effective);
  EXPECT_TRUE(report["totals"]["equal_error_monopole_pairs"].is_null());
  RunRecord measured = sample_record(true);
  for (CensusRecord& census : measured.census) census.equal_error_pairs = 3.0 * static_cast<double>(census.raw_pairs);
  EXPECT_NEAR(report_json(measured, {})["totals"]["equal_error_monopole_pairs"].get<double>(),
              3.0 * static_cast<double>(raw), 1e-9 * static_cast<double>(raw));
  EXPECT_DOUBLE_EQ(report["energy"]["layzer_irvine_relative"], 6e-5);
  EXPECT_NEAR(report["totals"]["tflops_raw"].get<double>(), 38.0 * static_cast<double>(raw) / 12.5 * 1e-12, 1e-20);
}

TEST(Report, SetsThePublishedRunBesideTheStepsAlone) {
  Parameters parameters;
  EXPECT_TRUE(report_json(sample_record(true), parameters)["comparison"].is_null());
  parameters.cost.compare_with = "hamada2009";
  parameters.cost.device_price = 500;
  RunRecord record = sample_record(true);
  record.devices = 2;
  for (StepRecord& step : record.steps) step.joules = 7.0;
  record.steps[0].raw.cell_pairs = 1000000000;  // the first forces are no step
  record.census[0].raw_pairs = record.steps[0].raw.total();
  record.census[0].effective.pairs = static_cast<double>(record.census[0].raw_pairs) / 2;
  const json report = report_json(record_from_json(json::parse(to_json(record).dump())), parameters);
  const json& now = report["sustained"];
  EXPECT_DOUBLE_EQ(now["seconds_per_step"], 0.495);
  EXPECT_NEAR(now["raw_list"].get<double>(), (4000 + 8 * 10.5) / 1000, 1e-12);
  EXPECT_NEAR(now["effective_list"].get<double>(), (4000 + 8 * 10.5) / 2000, 1e-12);
  EXPECT_NEAR(now["tflops_effective_per_device"].get<double>(), 38 * 2042 / 0.495 / 2 * 1e-12, 1e-18);
  EXPECT_DOUBLE_EQ(now["price"], 1000);
  EXPECT_DOUBLE_EQ(now["joules_per_step"], 7);
  // As the paper gives them.
  const json& then = report["comparison"]["figures"];
  EXPECT_NEAR(then["seconds_per_step"].get<double>(), 12.4, 0.05);
  EXPECT_NEAR(then["raw_list"].get<double>(), 11661, 1);
  EXPECT_NEAR(then["effective_list"].get<double>(), 4920, 2);
  EXPECT_NEAR(then["tflops_raw"].get<double>(), 20.06, 0.01);
  EXPECT_NEAR(then["tflops_effective"].get<double>(), 8.46, 0.01);
  EXPECT_NEAR(then["price_per_gflops_effective"].get<double>(), 19.8, 0.1);
  EXPECT_TRUE(then["joules_per_step"].is_null());
  EXPECT_EQ(report["comparison"]["title"], "Hamada et al. (2009)");
  const json shown = test::page_data(report_html(report, ".")).at("report");
  EXPECT_EQ(shown["comparison"], report["comparison"]);
  EXPECT_EQ(shown["sustained"], now);
}

TEST(Report, TellsHowLongInitialConditionsTook) {
  RunRecord record = sample_record(true);
  EXPECT_TRUE(report_json(record, {})["initial_conditions"].is_null());
  record.initial_conditions = {{"density field", 1.5}, {"displacements", 2}};
  const json report = report_json(record_from_json(json::parse(to_json(record).dump())), {});
  EXPECT_EQ(report["initial_conditions"]["seconds"],
            (json{{"total", 3.5}, {"density field", 1.5}, {"displacements", 2.0}}));
}

TEST(Report, TellsOfMemoryAndOfTheCheckpoint) {
  RunRecord record = sample_record(true);
  EXPECT_TRUE(report_json(record, {})["checkpoint"].is_null());
  record.ranks = 2;
  record.memory = {50000, 40000};
  record.checkpoint = {2.5, 43000000000};
  const json report = report_json(record_from_json(json::parse(to_json(record).dump())), {});
  EXPECT_DOUBLE_EQ(report["memory"]["host_per_particle"], 100);
  EXPECT_DOUBLE_EQ(report["memory"]["device_per_particle"], 80);
  EXPECT_EQ(report["checkpoint"], (json{{"seconds", 2.5}, {"bytes", 43000000000}}));
}

/// A record whose errors come from a sample of this size.
RunRecord record_of_sample(std::uint64_t sample) {
  RunRecord record = sample_record(true);
  for (ErrorRecord& error : record.errors) {
    for (ErrorPercentiles* e : {&error.total, &error.peculiar}) {
      e->sample = sample;
      e->p99_low = 0.5 * e->p99;
      e->p99_high = 2 * e->p99;
      e->median_low = 0.75 * e->median;
      e->median_high = 1.5 * e->median;
    }
  }
  return record;
}

TEST(Report, TellsThe99PercentErrorWithItsInterval) {
  const json report = report_json(record_from_json(json::parse(to_json(record_of_sample(1000)).dump())), {});
  const json& error = report["force_error"][0];
  EXPECT_EQ(error["p99"], 5e-4);
  EXPECT_EQ(error["p99_interval"], (json{2.5e-4, 1e-3}));
  EXPECT_EQ(error["peculiar"]["median_interval"], (json{0.75 * 2e-4, 1.5 * 2e-4}));
}

TEST(Report, TellsTheMedianOfASmallSampleWithItsInterval) {
  for (const std::uint64_t sample : {std::uint64_t{111}, std::uint64_t{999}}) {
    const json report = report_json(record_of_sample(sample), {});
    EXPECT_TRUE(report["force_error"][0]["p99"].is_null());
    EXPECT_FALSE(report["force_error"][0].contains("p99_interval"));
    EXPECT_EQ(report["force_error"][0]["median_interval"], (json{0.75 * 1e-4, 1.5 * 1e-4}));
  }
}

TEST(Report, TellsWhatMeasuringTook) {
  RunRecord record = sample_record(true);
  EXPECT_FALSE(report_json(record, {})["totals"].contains("measuring"));
  record.wall_seconds = 200;
  record.measuring = {1.5, 2, 0.5};
  const json report = report_json(record_from_json(json::parse(to_json(record).dump())), {});
  EXPECT_EQ(report["totals"]["measuring"],
            (json{{"seconds", 4.0}, {"errors", 1.5}, {"census", 2.0}, {"trials", 0.5}, {"share", 0.02}}));
}

TEST(Report, SaysWhichErrorMonopolesShare) {
  RunRecord record = sample_record(true);
  for (CensusRecord& census : record.census) census.equal_error_pairs = 3.0 * static_cast<double>(census.raw_pairs);
  for (const bool of_median : {false, true}) {
    for (CensusRecord& census : record.census) census.equal_error_of_median = of_median;
    const json report = report_json(record_from_json(json::parse(to_json(record).dump())), {});
    EXPECT_EQ(report["census"][0]["equal_error_of"], of_median ? "median" : "99%");
  }
}

RankFigures four_ranks(double scale) {
  RankFigures figures;
  figures.ranks = 4;
  for (std::size_t p = 0; p < phase_count; ++p) figures.seconds[p] = {scale, scale * (2.0 + p), scale * 20};
  figures.busy = {scale, 2 * scale, 3 * scale};
  figures.bytes_sent = {0, 100, 250};
  figures.tree_bytes = {1, 2000, 3000};
  figures.in_flight = 10;
  figures.awaited = 2.5;
  return figures;
}

TEST(Report, TellsOfRanks) {
  RunRecord record = sample_record(true);
  EXPECT_FALSE(report_json(record, {})["steps"][0].contains("over_ranks"));
  record.ranks = 4;
  for (StepRecord& step : record.steps) step.ranks = four_ranks(0.1);
  const json report = report_json(record_from_json(json::parse(to_json(record).dump())), {});
  const json& ranks = report["steps"][3]["over_ranks"];
  EXPECT_EQ(ranks["ranks"], 4);
  EXPECT_EQ(ranks["seconds"]["tree"], (json{{"min", 0.1}, {"mean", 0.1 * 3.0}, {"max", 2.0}}));
  EXPECT_DOUBLE_EQ(ranks["imbalance"]["time"].get<double>(), 1.5);
  EXPECT_EQ(ranks["bytes_sent"], (json{{"sum", 400}, {"mean", 100}, {"max", 250}}));
  EXPECT_EQ(ranks["essential_trees"]["bytes"], (json{{"mean", 2000}, {"max", 3000}}));
  EXPECT_DOUBLE_EQ(ranks["hidden_communication"].get<double>(), 0.75);
  EXPECT_NEAR(report["totals"]["over_ranks"]["seconds"]["sort"]["max"].get<double>(), 21 * 2.0, 1e-9);
  EXPECT_EQ(test::page_data(report_html(report, ".")).at("report")["totals"], report["totals"]);
}

TEST(Report, ThreePartsOfAStepAddUp) {
  PhaseSeconds seconds{};
  for (std::size_t p = 0; p < phase_count; ++p) seconds[p] = std::exp2(p);
  const TimeBreakdown parts = time_breakdown(seconds);
  EXPECT_EQ(parts.mpi + parts.tree_walk + parts.miscellaneous, total(seconds));
  EXPECT_EQ(parts.mpi, std::exp2(static_cast<int>(Phase::let)) + std::exp2(static_cast<int>(Phase::decompose)));
  EXPECT_EQ(parts.tree_walk, 4 + 8 + 16 + 32);
}

TEST(Report, OfAnEarlierVersionIsStillDrawn) {
  json report = report_json(sample_record(true), {});
  for (json& step : report["steps"]) step["seconds"].erase("decompose");
  report["totals"]["seconds"].erase("decompose");
  EXPECT_EQ(test::page_data(report_html(report, ".")).at("report")["totals"], report["totals"]);
}

TEST(Report, PageHasWhatTheReportHas) {
  for (const bool comoving : {true, false}) {
    const json report = json::parse(report_json(sample_record(comoving), {}).dump());
    const json shown = test::page_data(report_html(report, ".")).at("report");
    EXPECT_EQ(keys(shown), keys(report));
    for (const auto& [part, value] : report.items()) {
      if (part == "steps" || part == "energy") continue;
      EXPECT_EQ(shown[part], value) << part;
    }
    EXPECT_EQ(shown["steps"].size(), 21U);
    EXPECT_EQ(shown["energy"]["steps"].size(), 21U);
  }
}

TEST(Report, NullWithoutPriceOrCensus) {
  RunRecord record = sample_record(true);
  EXPECT_TRUE(report_json(record, {})["totals"]["usd_per_gflops_effective"].is_null());
  Parameters parameters;
  parameters.cost.machine_price = 1000;
  EXPECT_TRUE(report_json(record, parameters)["totals"]["usd_per_gflops_effective"].is_number());
  parameters.cost.currency = "EUR";
  EXPECT_TRUE(report_json(record, parameters)["totals"]["usd_per_gflops_effective"].is_null());
  EXPECT_TRUE(report_json(record, parameters)["totals"]["price_per_gflops_effective"].is_number());
  record.census.clear();
  EXPECT_TRUE(report_json(record, parameters)["totals"]["effective_pairs"].is_null());
  EXPECT_TRUE(report_json(record, parameters)["totals"]["tflops_effective"].is_null());
}

/// As a changed checkpoint may hold them.
TEST(Report, RecordsWithCountsOrTimesBelowZeroAreRefused) {
  RunRecord record = sample_record(true);
  record.steps[1].block.substeps = 1;
  const json stored = to_json(record);
  for (const char* place : {"/wall_seconds", "/steps/1/seconds/walk", "/steps/1/block/raw_if_full",
                            "/census/0/effective_pairs", "/census/0/equal_error_pairs"}) {
    json changed = stored;
    const json::json_pointer at(place);
    ASSERT_TRUE(changed.contains(at)) << place;
    changed[at] = -1;
    EXPECT_THROW(record_from_json(changed), InputError) << place;
  }
}

TEST(Report, RecordsOfAnotherFormatAreRefusedWithTheirVersion) {
  json stored = to_json(sample_record(true));
  EXPECT_EQ(writer_of_other_format(stored), "");
  stored.erase("format");  // as version 0.1.0 wrote them
  stored["steps"] = json::array({json::array({1, 0.5})});
  EXPECT_EQ(writer_of_other_format(stored), "multiwalk 1.2.3");
  EXPECT_THROW(record_from_json(stored), InputError);
}

TEST(Report, RecordSurvivesACheckpoint) {
  RunRecord record = sample_record(true);
  record.steps[3].time = 1.0 / 3;
  record.steps[2].energy_error = std::numeric_limits<double>::quiet_NaN();
  record.running_outputs = {{1.0 / 3, 2, {"grid_000.hdf5", "snap0_densityPlane0_normal2.fits"}}};
  const json stored = json::parse(to_json(record).dump());
  const RunRecord again = record_from_json(stored);
  EXPECT_EQ(to_json(again).dump(), to_json(record).dump());
  EXPECT_EQ(again.steps[3].time, 1.0 / 3);
  EXPECT_EQ(again.steps[3].raw.cell_pairs, record.steps[3].raw.cell_pairs);
  EXPECT_TRUE(std::isnan(again.steps[2].energy_error));
  EXPECT_EQ(report_json(again, {}).dump(), report_json(record, {}).dump());
}

TEST_F(ReportFiles, PageStandsAloneAndIsRebuiltTheSame) {
  RunRecord record = sample_record(true);
  record.outputs[1].entries["image"] = (directory_ / "picture.png").string();
  const std::vector<std::uint8_t> png = encode_png({2, 1, {1, 2, 3, 4, 5, 6}});
  write_file_atomically(record.outputs[1].entries["image"].get<std::string>(), std::string(png.begin(), png.end()));
  write_report(directory_.string(), record, {});
  const std::string page = read_whole_file((directory_ / "report.html").string());
  EXPECT_EQ(test::fault_of(page), "");
  const json shown = test::page_data(page);
  EXPECT_TRUE(shown["pictures"]["picture.png"].get<std::string>().starts_with("iVBORw0KGgo"));
  EXPECT_EQ(shown["pictures"].size(), 1U);
  EXPECT_EQ(shown["report"]["machine"], "a <machine> & more");
  EXPECT_EQ(page.find("<machine>"), std::string::npos);
  EXPECT_EQ(json::parse(read_whole_file((directory_ / "report.json").string()))["outputs"][1]["image"], "picture.png");

  std::filesystem::remove(directory_ / "report.html");
  rebuild_report(directory_.string());
  EXPECT_EQ(read_whole_file((directory_ / "report.html").string()), page);
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) left.insert(entry.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{"report.html", "report.json", "picture.png"}));
}

TEST_F(ReportFiles, PathsAreThoseInTheDirectory) {
  RunRecord record = sample_record(true);
  const std::string inside = directory_.string() + "/";
  record.outputs[0].entries["snapshots"] = json::array({inside + "a.hdf5", "/elsewhere/b.hdf5"});
  record.outputs[0].entries["image"] = inside + "c.png";
  record.outputs[0].entries["halos"] = {
      {"file", inside + "d.hdf5"}, {"halos", 1}, {"images", json::array({inside + "e.png"})}};
  record.outputs[0].entries["power"] = {{"file", inside + "f.csv"}, {"snapshot", inside + "a.hdf5"}};
  record.running_outputs = {{0.5, 1, {inside + "grid_000.hdf5"}}};
  record.outputs[1].entries["halos"] = {{"halos", 1}};  // as a changed checkpoint may have it
  record.outputs[1].entries["power"] = {{"file", nullptr}};
  write_report(directory_.string(), record, {});
  const json report = json::parse(read_whole_file(inside + "report.json")), outputs = report["outputs"];
  EXPECT_EQ(report["running_outputs"], json::array({{{"time", 0.5}, {"z", 1}, {"files", {"grid_000.hdf5"}}}}));
  EXPECT_EQ(outputs[0]["snapshots"], json::array({"a.hdf5", "/elsewhere/b.hdf5"}));
  EXPECT_EQ(outputs[0]["image"], "c.png");
  EXPECT_EQ(outputs[0]["halos"]["file"], "d.hdf5");
  EXPECT_EQ(outputs[0]["halos"]["images"], json::array({"e.png"}));
  EXPECT_EQ(outputs[0]["power"], (json{{"file", "f.csv"}, {"snapshot", "a.hdf5"}}));
  EXPECT_FALSE(outputs[1]["halos"].contains("images"));
}

TEST_F(ReportFiles, BytesThatAreNoUtf8AreReplaced) {
  RunRecord record = sample_record(true);
  record.machine = "a machine \xff";
  record.outputs[0].entries["snapshots"] = json::array({"caf\xe9.hdf5"});
  Parameters parameters;
  parameters.run.title = "title \xc3";
  write_report(directory_.string(), record, parameters);
  const json report = json::parse(read_whole_file((directory_ / "report.json").string()));
  EXPECT_EQ(report["machine"], "a machine \xef\xbf\xbd");
  EXPECT_EQ(report["title"], "title \xef\xbf\xbd");
  const std::string page = read_whole_file((directory_ / "report.html").string());
  EXPECT_NE(page.find("a machine \xef\xbf\xbd"), std::string::npos);
  for (const char* byte : {"\xff", "\xe9.", "\xc3<"}) EXPECT_EQ(page.find(byte), std::string::npos) << byte;
  rebuild_report(directory_.string());
  EXPECT_EQ(read_whole_file((directory_ / "report.html").string()), page);
}

TEST_F(ReportFiles, PageIsWellFormed) {
  for (bool comoving : {true, false}) {
    for (bool empty : {true, false}) {
      RunRecord record = sample_record(comoving);
      for (StepRecord& step : record.steps) step.ranks = four_ranks(0.01);
      record.steps[2].energy_error = std::numeric_limits<double>::quiet_NaN();
      if (empty) record = RunRecord{};
      write_report(directory_.string(), record, {});
      const std::string page = read_whole_file((directory_ / "report.html").string());
      EXPECT_EQ(test::fault_of(page), "");
      EXPECT_EQ(test::page_data(page)["report"]["steps"].size(), empty ? 0U : 21U);
    }
  }
}

TEST_F(ReportFiles, DamageIsTold) {
  EXPECT_THROW(rebuild_report(directory_.string()), InputError);
  for (const char* text : {"", "{", "[]", "{\"title\": 3}"}) {
    write_file_atomically((directory_ / "report.json").string(), text);
    EXPECT_THROW(rebuild_report(directory_.string()), InputError) << text;
  }
  EXPECT_FALSE(std::filesystem::exists(directory_ / "report.html"));
}

}  // namespace
}  // namespace multiwalk
