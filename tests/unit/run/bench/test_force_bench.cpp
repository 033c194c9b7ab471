// SPDX-License-Identifier: GPL-3.0-or-later
// `bench forces`: the fastest evaluation beside the typical one, and which error walks of equal error have in common.
#include <gtest/gtest.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "run/bench/force_bench.hpp"
#include "run/bench/median.hpp"

namespace multiwalk {
namespace {

BenchTask small_task() {
  BenchTask task;
  task.law.softening = 0.05;
  task.threads = 1;
  return task;
}

TEST(ForceBench, TellsTheFastestAndTheMedianOfItsRepeats) {
  BenchTask task = small_task();
  task.repeats = 5;
  task.sample = 20;
  const BackendChoice choice = choose_backend("cpu", {});
  ParticleSystem system = bench_model("plummer", 3000, 1, task, {});
  const nlohmann::json json = bench_json(task, bench_forces(system, task, choice, {}), choice);
  auto seconds = json.at("seconds_of_repeats").get<std::vector<double>>();
  ASSERT_EQ(seconds.size(), 5U);
  std::ranges::sort(seconds);
  EXPECT_GT(seconds.front(), 0);
  EXPECT_LT(seconds.front(), seconds.back());
  EXPECT_EQ(json.at("seconds").at("total"), seconds.front());
  EXPECT_EQ(json.at("seconds_median"), seconds[2]);
  EXPECT_EQ(json.at("particles_per_second"), 3000 / seconds.front());
  EXPECT_EQ(json.at("particles_per_second_median"), 3000 / seconds[2]);
}

TEST(ForceBench, ComparesNoneOrAll) {
  BenchTask task = small_task();
  task.repeats = 1;
  const BackendChoice choice = choose_backend("cpu", {});
  ParticleSystem system = bench_model("plummer", 1100, 1, task, {});
  task.sample = Sample::all;
  EXPECT_EQ(bench_json(task, bench_forces(system, task, choice, {}), choice).at("error").at("sample"), 1100);
  task.sample = 0;
  const BenchResult none = bench_forces(system, task, choice, {});
  EXPECT_EQ(none.error.sample, 0U);
  EXPECT_TRUE(bench_json(task, none, choice).at("error").is_null());
  task.effective = true;
  EXPECT_THROW(bench_forces(system, task, choice, {}), InputError);
}

TEST(ForceBench, ParticlesStayOnADeviceOnly) {
  BenchTask task = small_task();
  task.resident = true;
  const BackendChoice choice = choose_backend("cpu", {});
  ParticleSystem system = bench_model("plummer", 1000, 1, task, {});
  EXPECT_THROW(bench_forces(system, task, choice, {}), InputError);
}

TEST(ForceBench, ShufflesIfAsked) {
  BenchTask task = small_task();
  task.repeats = 1;
  task.sample = 0;
  const BackendChoice choice = choose_backend("cpu", {});
  ParticleSystem system = bench_model("plummer", 1000, 1, task, {});
  // Sorting keeps the order of particles in one place, so that theirs is the order before it.
  for (std::size_t i = 1; i < 50; ++i) system.particles.position[i] = system.particles.position[0];
  const auto ids_after = [&] {
    bench_forces(system, task, choice, {});
    return std::vector<std::uint64_t>(system.particles.id.begin(), system.particles.id.end());
  };
  auto sorted = ids_after();
  EXPECT_EQ(ids_after(), sorted);
  task.shuffle = true;
  auto shuffled = ids_after();
  EXPECT_NE(shuffled, sorted);
  std::ranges::sort(shuffled);
  std::ranges::sort(sorted);
  EXPECT_EQ(shuffled, sorted);
  task.resident = true;
  EXPECT_THROW(bench_forces(system, task, choice, {}), InputError);
}

TEST(ForceBench, MonopolesOfEqualErrorAreEqualInTheMedianOfASmallSample) {
  for (const std::uint64_t sample : {std::uint64_t{999}, std::uint64_t{1000}}) {
    BenchTask task = small_task();
    task.repeats = 1;
    task.effective = true;
    task.sample = sample;
    const BackendChoice choice = choose_backend("cpu", {});
    ParticleSystem system = bench_model("plummer", 1200, 1, task, {});
    const nlohmann::json json = bench_json(task, bench_forces(system, task, choice, {}), choice);
    EXPECT_EQ(json.at("pairs").at("equal_error_of"), sample < 1000 ? "median" : "99%");
    EXPECT_EQ(json.at("error").at("p99").is_null(), sample < 1000);
  }
}

TEST(Median, IsTheMiddleValue) {
  EXPECT_EQ(median_of({3}), 3);
  EXPECT_EQ(median_of({9, 1, 4}), 4);
  EXPECT_EQ(median_of({9, 1, 4, 2}), 3);
  EXPECT_EQ(index_of_median({7}), 0U);
  EXPECT_EQ(index_of_median({9, 1, 4}), 2U);
  EXPECT_EQ(index_of_median({9, 1, 4, 2}), 3U);
}

}  // namespace
}  // namespace multiwalk
