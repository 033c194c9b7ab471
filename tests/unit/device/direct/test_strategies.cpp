// SPDX-License-Identifier: GPL-3.0-or-later
// Strategies compared: figures of the CPU, rows without a device, scans and their optimum, table and page, refusals.
#include <gtest/gtest.h>
#include <omp.h>

#include "host/base/error.hpp"
#include "run/bench/strategy_bench.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

json compare(StrategyTask task) {
  omp_set_num_threads(1);
  task.direct_particles = 700;
  task.tree_particles = 3000;
  task.scanned_backend = "cpu";
  task.evaluation.law.softening = 0.025;
  task.evaluation.force.multipole = MultipoleOrder::monopole;
  task.evaluation.repeats = 1;
  task.evaluation.sample = Sample::all;
  task.evaluation.threads = 1;
  return compare_strategies(task, [](const std::string&) {});
}

json row_of(const json& comparison, const std::string& strategy, const std::string& problem) {
  for (const json& row : comparison.at("strategies")) {
    if (row.at("strategy") == strategy && row.at("problem") == problem) return row;
  }
  throw InputError("no row " + strategy + ", " + problem);
}

json errors(double scale) {
  return {{"median", scale},  {"median_interval", {0.8 * scale, 1.2 * scale}}, {"p90", 2 * scale},
          {"p99", 5 * scale}, {"p99_interval", {4 * scale, 8 * scale}},        {"max", 9 * scale},
          {"sample", 1000}};
}

/// What a smaller sample gives.
void make_small(json& errors) {
  errors["sample"] = 100;
  errors["p99"] = nullptr;
  errors.erase("p99_interval");
}

json scan_row(int value, double seconds) {
  return {{"value", value},        {"seconds", seconds},   {"particles_per_second", 1e6 / seconds},
          {"list", 100 + value},   {"mean_group", value},  {"walking", seconds / 4},
          {"evaluating", 0.03125}, {"device_busy", 0.625}, {"hidden_walking", 0.875},
          {"error", errors(1e-3)}};
}

/// As on a machine with a device for many walks, but not for the others.
json sample_comparison() {
  json rows = json::array();
  for (const char* problem : {"direct", "tree"}) {
    for (const Strategy& strategy : strategies) {
      json row{{"strategy", strategy.name}, {"backend", strategy.backend}, {"problem", problem}, {"particles", 65536}};
      row["measured"] = !strategy.one_walk;
      row["why"] = "the <driver> is gone";
      if (!strategy.one_walk) {
        row.update({{"seconds", 0.5},
                    {"mean_group", 123},
                    {"list", 456},
                    {"particles_per_second", 131072},
                    {"pairs_per_second", 2e9},
                    {"gflops", 76},
                    {"error", errors(2.5e-7)}});
      }
      rows.push_back(row);
    }
  }
  const json sizes{{"rows", {scan_row(64, 3), scan_row(256, 1), scan_row(1024, 2)}}, {"fastest", 1}};
  const json threads{{"rows", {scan_row(1, 4), scan_row(2, 2.5)}}, {"fastest", 1}};
  return {{"machine", "a box & a half"},
          {"softening", 0.025},
          {"theta", 0.6},
          {"mac", "barnes90"},
          {"multipole", "monopole"},
          {"alpha", 0.005},
          {"expansion", 5},
          {"strategies", rows},
          {"scans",
           {{"backend", "cuda"},
            {"description", "a GPU"},
            {"devices", 1},
            {"overlaps", true},
            {"particles", 4194304},
            {"group_size", sizes},
            {"threads", threads},
            {"device_walks",
             {{"backend", "cuda-resident"},
              {"measured", true},
              {"why", ""},
              {"threads", {{"rows", {scan_row(4, 0.5)}}, {"fastest", 0}}},
              {"threads_resident", {{"rows", {scan_row(8, 0.25)}}, {"fastest", 0}}}}}}}};
}

/// The line of a text that holds both words.
std::string line_with(const std::string& text, const std::string& first, const std::string& second) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.find(first) != std::string::npos && line.find(second) != std::string::npos) return line;
    begin = end + 1;
  }
  return "";
}

TEST(Strategies, ThreadsDoubleUpToAll) {
  EXPECT_EQ(scanned_threads(1), std::vector<int>{1});
  EXPECT_EQ(scanned_threads(6), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(scanned_threads(16), (std::vector<int>{1, 2, 4, 8, 16}));
}

TEST(Strategies, TheCpuIsMeasuredWithItsErrors) {
  const json comparison = compare({});
  EXPECT_EQ(comparison.at("strategies").size(), 9U);
  EXPECT_TRUE(comparison.at("scans").is_null());
  const json direct = row_of(comparison, "CPU", "direct"), tree = row_of(comparison, "CPU", "tree");
  EXPECT_EQ(direct.at("pairs"), 700.0 * 700.0);
  EXPECT_EQ(direct.at("list"), 700.0);
  EXPECT_LT(direct.at("error").at("max"), 1e-4);
  EXPECT_LE(direct.at("seconds"), direct.at("seconds_with_tree"));
  EXPECT_LT(tree.at("list"), 3000.0);
  EXPECT_GT(tree.at("error").at("median"), 1e-5);
  EXPECT_LT(tree.at("error").at("p99"), 2e-2);
  EXPECT_EQ(tree.at("error").at("sample"), 3000);
  for (const json* row : {&direct, &tree}) {
    const auto seconds = row->at("seconds").get<double>(), pairs = row->at("pairs").get<double>();
    EXPECT_GT(seconds, 0);
    EXPECT_NEAR(row->at("gflops").get<double>(), 38e-9 * pairs / seconds, 1e-9 * row->at("gflops").get<double>());
  }
}

TEST(Strategies, WithoutADeviceTheRowSaysWhy) {
  const json comparison = compare({});
  for (const json& row : comparison.at("strategies")) {
    if (row.at("measured").get<bool>()) continue;
    EXPECT_NE(row.at("strategy"), "CPU");
    EXPECT_FALSE(row.at("why").get<std::string>().empty());
    EXPECT_FALSE(row.contains("seconds"));
    EXPECT_NE(line_with(strategy_text(comparison), row.at("strategy"), "no device: "), "");
  }
}

TEST(Strategies, ScansHaveARowPerValueAndTheFastest) {
  StrategyTask task;
  task.group_sizes = {16, 64, 256};
  task.threads = {1, 2};
  const json scans = compare(task).at("scans");
  EXPECT_EQ(scans.at("backend"), "cpu");
  EXPECT_FALSE(scans.at("overlaps").get<bool>());
  const json& sizes = scans.at("group_size").at("rows");
  ASSERT_EQ(sizes.size(), 3U);
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(sizes[r].at("value"), task.group_sizes[r]);
    EXPECT_LE(sizes[r].at("mean_group"), task.group_sizes[r]);
    EXPECT_GE(sizes[r].at("seconds"), sizes[scans.at("group_size").at("fastest").get<std::size_t>()].at("seconds"));
  }
  EXPECT_LT(sizes[0].at("list"), sizes[2].at("list"));
  const json& threads = scans.at("threads").at("rows");
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[1].at("threads"), 2);
  EXPECT_EQ(threads[0].at("error"), threads[1].at("error"));
  EXPECT_EQ(threads[0].at("pairs"), threads[1].at("pairs"));
}

TEST(Strategies, TheFastestIsTheRowOfLeastSeconds) {
  EXPECT_EQ(fastest_row({scan_row(1, 2), scan_row(2, 0.5), scan_row(4, 0.75)}), 1U);
  EXPECT_EQ(fastest_row(json::array({scan_row(1, 2)})), 0U);
}

TEST(Strategies, TheTableReadsWell) {
  const std::string text = strategy_text(sample_comparison());
  EXPECT_NE(line_with(text, "i-parallel", "no device: the <driver> is gone"), "");
  EXPECT_NE(line_with(text, "multi-walk", "2.50e-07"), "");
  EXPECT_NE(line_with(text, "Direct summation", "65,536 particles"), "");
  EXPECT_NE(line_with(text, "  256", "<- fastest"), "");
  EXPECT_EQ(line_with(text, "  1024", "<- fastest"), "");
  EXPECT_NE(line_with(text, "  256", "88%"), "");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 155U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Strategies, TheTextShowsWhoWalks) {
  json comparison = sample_comparison();
  const std::string text = strategy_text(comparison);
  EXPECT_NE(line_with(text, "device walks", "walks made by the device"), "");
  EXPECT_LT(text.find("with walks made by the device, from"), text.find("\n       4 "));
  EXPECT_LT(text.find("\n       4 "), text.find("that stay on the device"));
  EXPECT_LT(text.find("that stay on the device"), text.find("\n       8 "));
  EXPECT_NE(text.find("\n       8 "), std::string::npos);
  comparison.at("scans").at("device_walks") = {{"measured", false}, {"why", "the driver is gone"}};
  EXPECT_NE(line_with(strategy_text(comparison), "made by the device", "the driver is gone"), "");
  comparison.at("scans").at("device_walks") = nullptr;
  EXPECT_EQ(strategy_text(comparison).find("if the device"), std::string::npos);
}

TEST(Strategies, TheTextStatesTodaysSettings) {
  json comparison = sample_comparison();
  EXPECT_NE(line_with(strategy_text(comparison), "Tree", "theta 0.6, monopole, barnes90"), "");
  EXPECT_EQ(line_with(strategy_text(comparison), "Tree,", "expansions"), "");
  comparison.update({{"mac", "relative"}, {"multipole", "quadrupole"}});
  EXPECT_NE(line_with(strategy_text(comparison), "Tree",
                      "theta 0.6, alpha 0.005, quadrupole, relative, expansions of order 5"),
            "");
}

/// A device's walks would be another row of the same sums.
TEST(Strategies, DirectSummationHasNoWalksOfADevice) {
  const json comparison = compare({});
  EXPECT_NE(row_of(comparison, "device walks", "tree"), json());
  for (const json& row : comparison.at("strategies")) {
    EXPECT_FALSE(row.at("strategy") == "device walks" && row.at("problem") == "direct");
  }
}

TEST(Strategies, TheCpuScanHasNoWalksOfADevice) {
  StrategyTask task;
  task.threads = {1};
  EXPECT_TRUE(compare(task).at("scans").at("device_walks").is_null());
}

TEST(Strategies, ErrorsComeWithTheirIntervals) {
  json comparison = sample_comparison();
  EXPECT_NE(line_with(strategy_text(comparison), "multi-walk", "1.25e-06 (1.0e-06 to 2.0e-06)"), "");
  for (json& row : comparison.at("strategies"))
    if (row.contains("error")) make_small(row.at("error"));
  for (json& row : comparison.at("scans").at("group_size").at("rows")) make_small(row.at("error"));
  EXPECT_NE(line_with(strategy_text(comparison), "multi-walk", "median in 2.0e-07 to 3.0e-07"), "");
  EXPECT_EQ(strategy_text(comparison).find("nan"), std::string::npos);
}

TEST(Strategies, ScansNeedABackEndThatWalks) {
  StrategyTask task;
  for (const char* name : {"direct", "cuda-i", "cuda-j", "gpu"}) {
    task.scanned_backend = name;
    EXPECT_THROW(compare_strategies(task, [](const std::string&) {}), InputError) << name;
  }
}

TEST(Strategies, AreNoBackEndsOfRuns) {
  for (const char* name : {"cuda-i", "cuda-j", "cuda-k"}) {
    try {
      choose_backend(name, {});
      FAIL() << name << " was accepted";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(),
                   ("unknown back end '" + std::string(name) + "': use auto, cpu, cuda, cuda-resident, direct or ewald")
                       .c_str());
    }
  }
}

}  // namespace
}  // namespace multiwalk
