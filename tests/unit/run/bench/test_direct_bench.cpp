// SPDX-License-Identifier: GPL-3.0-or-later
// `bench direct`: what it measures.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "run/bench/direct_bench.hpp"

namespace multiwalk {
namespace {

/// A row's greatest error.
double error_of(const nlohmann::json& result, const std::string& accumulation, const std::string& splitting) {
  for (const nlohmann::json& row : result.at("rows"))
    if (row.at("accumulation") == accumulation && row.at("splitting") == splitting) return row.at("error").at("max");
  return -1;
}

TEST(DirectBench, MeasuresErrorsAndSpeeds) {
  DirectBenchTask task;
  task.particles = {2048};
  task.sample = 500;
  task.repeats = 1;
  const auto backend = make_simd_direct_backend(1);
  int told = 0;
  const nlohmann::json result = bench_direct(task, *backend, [&](const std::string&) { ++told; });
  EXPECT_EQ(told, 10);  // double precision, then nine precisions
  // Hamada & Iitaka (2007), Table 2: 2.2e-6 and 5.4e-7.
  EXPECT_LE(error_of(result, "plain", "single"), 2.2e-6);
  EXPECT_LE(error_of(result, "chamomile", "single"), 5.4e-7);
  EXPECT_GT(error_of(result, "chamomile", "single"), 1e-8);
  EXPECT_LE(error_of(result, "compensated", "hi_lo"), 1e-6);
  EXPECT_LE(error_of(result, "full", "single"), 1e-12);
  const nlohmann::json& row = result.at("rows").at(0);
  EXPECT_EQ(row.at("paper").at("error"), 2.2e-6);
  EXPECT_NEAR(row.at("gflops").at("call").get<double>() * row.at("seconds").at("call").get<double>(),
              38e-9 * 2048 * 2048, 1e-6);
  EXPECT_TRUE(row.at("gflops").at("kernel").is_null());
  EXPECT_NE(direct_bench_text(result).find("chamomile"), std::string::npos);
}

TEST(DirectBench, SumsJerksOnDemand) {
  DirectBenchTask task;
  task.particles = {300};
  task.repeats = 1;
  task.jerk = true;
  const auto backend = make_simd_direct_backend(1);
  const nlohmann::json result = bench_direct(task, *backend, [](const std::string&) {});
  EXPECT_EQ(result.at("operations_per_pair"), 57);
  for (const nlohmann::json& row : result.at("rows")) EXPECT_LE(row.at("error").at("jerk_max"), 1e-4);
  EXPECT_TRUE(result.at("rows").at(0).at("paper").at("error").is_null());
}

/// Reports the time of its kernels: a single launch takes three times as long as one among many. Sums nothing.
class DeviceClock : public DirectBackend {
 public:
  static constexpr double launch = 3e-4, kernel = 1e-4, call = 2e-3;
  int in_a_row = 1;
  [[nodiscard]] std::string_view name() const override { return "clock"; }
  [[nodiscard]] std::string description() const override { return "tells its kernels' time"; }
  void sum(const DirectTask& /*task*/) override { std::this_thread::sleep_for(std::chrono::duration<double>(call)); }
  [[nodiscard]] double kernel_seconds() const override { return in_a_row > 1 ? kernel : launch; }
  void evaluate_in_a_row(int times) override { in_a_row = times; }
};

TEST(DirectBench, TellsKernelLaunchAndCallApart) {
  DeviceClock device;
  DirectBenchTask task;
  task.particles = {100};
  task.repeats = 1;
  task.in_a_row = 50;
  const nlohmann::json result = bench_direct(task, device, [](const std::string&) {});
  EXPECT_EQ(device.in_a_row, 1);
  const nlohmann::json& seconds = result.at("rows").at(0).at("seconds");
  EXPECT_EQ(seconds.at("launch"), DeviceClock::launch);
  EXPECT_EQ(seconds.at("kernel"), DeviceClock::kernel);
  EXPECT_GE(seconds.at("call").get<double>(), DeviceClock::call);
  const nlohmann::json& speed = result.at("rows").at(0).at("gflops");
  EXPECT_NEAR(speed.at("launch").get<double>(), 38e-9 * 100 * 100 / DeviceClock::launch, 1e-9);
  EXPECT_NEAR(speed.at("kernel").get<double>(), 38e-9 * 100 * 100 / DeviceClock::kernel, 1e-9);
  EXPECT_LE(speed.at("call").get<double>(), 38e-9 * 100 * 100 / DeviceClock::call);
  for (const char* told : {"a whole call", "one launch on the device", "a launch among --in-a-row many"})
    EXPECT_NE(direct_bench_text(result).find(told), std::string::npos) << told;

  task.in_a_row = 1;
  const nlohmann::json once = bench_direct(task, device, [](const std::string&) {}).at("rows").at(0).at("seconds");
  EXPECT_EQ(once.at("kernel"), DeviceClock::launch);
}

}  // namespace
}  // namespace multiwalk
