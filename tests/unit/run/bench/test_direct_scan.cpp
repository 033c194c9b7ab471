// SPDX-License-Identifier: GPL-3.0-or-later
// `bench direct --scan`: its measurements on the CPU, and its texts for either kind of result.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "run/bench/direct_scan.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

json with_head(json result) {
  result.update({{"softening2", 0.01}, {"operations_per_pair", 38}});
  return result;
}

TEST(DirectScan, ComparesLoopsAccumulationsAndThreads) {
  DirectScanTask task;
  task.bench.particles = {128, 1024};
  task.bench.repeats = 1;
  task.bench.sample = 100;
  int told = 0;
  const json rows = scan_cpu(task, "", 2, [&](const std::string&) { ++told; }).at("cpu");
  ASSERT_EQ(rows.size(), 2U * (1 + 2 * 5));
  EXPECT_EQ(told, 22);
  std::map<std::uint64_t, double> best;
  for (const json& row : rows) {
    const double n = row.at("particles").get<double>();
    EXPECT_NEAR(row.at("pairs_per_second").get<double>() * row.at("seconds").get<double>(), n * n, 1e-3);
    EXPECT_LT(row.at("error").get<double>(), row.at("accumulation") == "full" ? 1e-12 : 1e-5) << row;
    double& share = best[row.at("particles").get<std::uint64_t>()];
    share = std::max(share, row.at("of_best").get<double>());
    if (row.at("loop") == "scalar") {
      EXPECT_EQ(row.at("of_scalar"), 1);
    }
  }
  EXPECT_EQ(best.at(128), 1);
  EXPECT_EQ(best.at(1024), 1);
}

TEST(DirectScan, LeavesOutWhatWouldTakeTooLong) {
  DirectScanTask task;
  task.bench.particles = {64, 32768};
  task.bench.repeats = 1;
  task.bench.sample = 1;
  task.longest = 1e-6;
  const json result = scan_cpu(task, "", 1, [](const std::string&) {});
  for (const json& row : result.at("cpu")) EXPECT_EQ(row.at("measured").get<bool>(), row.at("particles") == 64);
  EXPECT_NE(direct_scan_text(with_head(result)).find("SIMD, 1 thread, chamomile"), std::string::npos);
}

/// A row as of a device.
json row_of(const char* name, int particles, bool measured, double gflops) {
  const auto known = [&](double value) { return measured ? json(value) : json(); };
  return {{"name", name},
          {"one_block", false},
          {"particles", particles},
          {"measured", measured},
          {"gflops", known(gflops)},
          {"pairs_per_second", known(gflops * 1e9 / 38)},
          {"error", known(2.5e-6)},
          {"of_best", known(gflops / 4000)}};
}

TEST(DirectScan, TellsOfADevice) {
  json shape = row_of("2 blocks of 32 threads", 4096, true, 380);
  shape.update({{"threads", 32}, {"blocks", 2}});
  const json copies{{"bytes", 1024},
                    {"to_device", {{"locked", 1.5e9}, {"pageable", 1e9}}},
                    {"to_host", {{"locked", 2e9}, {"pageable", 2.25e9}}}};
  const json result =
      with_head({{"strategies",
                  json::array({row_of("square, queue", 2048, true, 1234), row_of("square, queue", 4096, false, 0)})},
                 {"shapes", {{"particles", 4096}, {"rows", json::array({shape})}}},
                 {"copies", json::array({copies})}});
  const std::string text = direct_scan_text(result);
  EXPECT_NE(text.find("square, queue      1234         -\n"), std::string::npos) << text;
  EXPECT_NE(text.find("32      10.0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1024      1.500      1.000      2.000      2.250\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace multiwalk
