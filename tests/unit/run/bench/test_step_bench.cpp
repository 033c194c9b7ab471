// SPDX-License-Identifier: GPL-3.0-or-later
// `bench steps`: steps as in a run, from the model's or a random order, and the names and figures of its result.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <numeric>

#include "host/base/error.hpp"
#include "run/bench/step_bench.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

Parameters small_sphere() {
  Parameters parameters;
  parameters.model.kind = ModelKind::plummer;
  parameters.model.particles = 2000;
  parameters.softening.softening = 0.05;
  parameters.time.max_dt = 0.015625;
  parameters.run.threads = 1;
  return parameters;
}

struct Bench {
  StepBenchTask task;
  BackendChoice choice = choose_backend("cpu", {});
  StepBenchResult result;
  json figures;

  Bench(const Parameters& parameters, const StepBenchTask& asked) : task(asked) {
    omp_set_num_threads(1);
    result = bench_steps(parameters, task, choice, {});
    figures = step_bench_json(task, result, choice);
  }
};

TEST(StepBench, TimesTheStepsOfARun) {
  StepBenchTask task;
  task.steps = 3;
  task.warm = 2;
  task.sample = 1000;
  const Bench bench(small_sphere(), task);
  ASSERT_EQ(bench.result.records.size(), 3U);
  EXPECT_EQ(bench.result.records.front().step, 3U);  // the warm ones come before
  EXPECT_EQ(bench.result.records.back().step, 5U);
  EXPECT_DOUBLE_EQ(bench.result.records.back().time, 5 * 0.015625);
  EXPECT_LT(std::fabs(bench.result.energy_error), 1e-3);
  EXPECT_EQ(bench.result.error.sample, 1000U);
  EXPECT_LT(bench.result.error.median, 1e-2);
  EXPECT_GT(bench.result.error.median, 1e-6);

  const json& j = bench.figures;
  for (const char* key :
       {"particles", "order", "backend", "backend_description", "ranks", "first_forces", "steps", "seconds",
        "particles_per_second", "group_size", "leaf_size", "raw_pairs", "energy_error", "error"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j.at("particles"), 2000);
  EXPECT_EQ(j.at("order"), "model");
  auto seconds = j.at("steps").get<std::vector<double>>();
  std::ranges::sort(seconds);
  EXPECT_EQ(j.at("seconds").at("best"), seconds[0]);
  EXPECT_EQ(j.at("seconds").at("median"), seconds[1]);
  EXPECT_EQ(j.at("particles_per_second").at("best"), 2000 / seconds[0]);
  EXPECT_EQ(j.at("particles_per_second").at("median"), 2000 / seconds[1]);
  double phases = 0;
  for (const auto& [name, value] : j.at("seconds").at("phases").items()) phases += value.get<double>();
  EXPECT_GT(phases, 0.5 * seconds[1]);
  EXPECT_LE(phases, 1.1 * seconds[1] + 1e-3);
  for (const char* word : {"2000 from model order", "first forces", "median", "fastest of 3", "particles/s", "99%",
                           "of the peculiar acceleration"})
    EXPECT_NE(step_bench_text(j).find(word), std::string::npos) << word << " in " << step_bench_text(j);
}

TEST(StepBench, WithoutASampleThereIsNoError) {
  StepBenchTask task;
  task.steps = 1;
  task.warm = 0;
  task.sample = 0;
  const Bench bench(small_sphere(), task);
  EXPECT_TRUE(bench.figures.at("error").is_null());
  EXPECT_EQ(step_bench_text(bench.figures).find("error"), std::string::npos);
}

/// The same particles have the same forces except for the order of sums, and the order is reported.
TEST(StepBench, ARandomOrderChangesTheOrderAlone) {
  StepBenchTask task;
  task.steps = 2;
  task.warm = 0;
  const Bench model(small_sphere(), task);
  Parameters sphere = small_sphere();
  EXPECT_TRUE(std::ranges::is_sorted(make_bench_system(sphere, task, {}).particles.id));
  task.shuffled = true;
  EXPECT_FALSE(std::ranges::is_sorted(make_bench_system(sphere, task, {}).particles.id));
  const Bench random(small_sphere(), task);
  EXPECT_EQ(random.figures.at("order"), "random");
  EXPECT_NE(step_bench_text(random.figures).find("2000 from random order"), std::string::npos);
  EXPECT_EQ(random.result.records.back().raw.total(), model.result.records.back().raw.total());
  EXPECT_NEAR(random.result.error.median, model.result.error.median, 1e-3 * model.result.error.median);
}

/// A block counts as many evaluations of all particles as it makes: each speed is that of its own block.
TEST(StepBench, SpeedsOfBlocksCountTheirEvaluations) {
  StepBenchResult result;
  result.particles = 100;
  result.seconds = {3, 0.5, 2};
  for (const std::uint64_t evaluations : {900U, 250U, 400U}) {
    StepRecord record;
    record.block.substeps = 4;
    record.block.evaluations = evaluations;
    result.records.push_back(record);
  }
  const json j = step_bench_json({}, result, choose_backend("cpu", {}));
  EXPECT_DOUBLE_EQ(j.at("particles_per_second").at("best"), 250 / 0.5);
  EXPECT_DOUBLE_EQ(j.at("particles_per_second").at("median"), 400 / 2.0);
}

TEST(StepBench, BlockStepsAreTimedTwo) {
  Parameters parameters = small_sphere();
  parameters.time.steps = Steps::block;
  parameters.time.max_dt = 0.25;
  StepBenchTask task;
  task.steps = 2;
  task.warm = 0;
  task.sample = 0;
  const Bench bench(parameters, task);
  const StepRecord& last = bench.result.records.back();
  ASSERT_GT(last.block.substeps, 1U);
  EXPECT_GT(last.evaluations(2000), 1);
}

TEST(StepBench, DirectSumsAreRefused) {
  Parameters parameters = small_sphere();
  parameters.time.integrator = DirectScheme::hermite;
  EXPECT_THROW(bench_steps(parameters, {}, choose_backend("cpu", {}), {}), SharedError);
}

ParticleStore with_numbers(std::size_t n) {
  ParticleStore particles = test::plummer(n);
  for (std::size_t i = 0; i < n; ++i) {
    particles.id[i] = i;
    particles.mass[i] = static_cast<float>(i);
    particles.velocity[i] = static_cast<Vec3f>(particles.position[i]);
  }
  return particles;
}

TEST(StepBench, AShuffleMovesWholeParticles) {
  const ParticleStore before = with_numbers(5000);
  ParticleStore after = before;
  shuffle(after, 7, 0);
  EXPECT_NE(after.id, before.id);
  std::size_t near = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::uint64_t was = after.id[i];
    ASSERT_EQ(after.position[i], before.position[was]);
    ASSERT_EQ(after.velocity[i], before.velocity[was]);
    ASSERT_EQ(after.mass[i], before.mass[was]);
    near += i > 0 && was - after.id[i - 1] + 100 <= 200 ? 1 : 0;
  }
  EXPECT_LT(near, 400U);  // 4% by chance
  ParticleArray<std::uint64_t> ids = after.id;
  std::ranges::sort(ids);
  EXPECT_EQ(ids, before.id);
}

TEST(StepBench, AShuffleDependsOnSeedAndRankAlone) {
  const auto order = [](std::uint64_t seed, int rank) {
    ParticleStore particles = with_numbers(100);
    shuffle(particles, seed, rank);
    return particles.id;
  };
  EXPECT_EQ(order(7, 0), order(7, 0));
  EXPECT_NE(order(7, 0), order(8, 0));
  EXPECT_NE(order(7, 0), order(7, 1));
}

}  // namespace
}  // namespace multiwalk
