// SPDX-License-Identifier: GPL-3.0-or-later
// Interactions that a plan states: their kinds and how they grow; and its seconds against a clock.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "host/base/phase_timer.hpp"
#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "run/plan/rank_plan.hpp"

namespace multiwalk {
namespace {

Parameters plummer_run(std::uint64_t particles, int expansion) {
  Parameters parameters;
  parameters.model.kind = ModelKind::plummer;
  parameters.model.particles = particles;
  parameters.softening.softening = 0.01;
  parameters.force.mac = Mac::relative;
  parameters.force.expansion = expansion;
  return parameters;
}

TEST(MeanList, CountsExpandedCellsByTheConvention) {
  RawCount raw;
  raw.particle_pairs = 600;
  raw.cell_pairs = 200;
  raw.expansions = 5;
  const MeanList list = mean_list(raw, 2);
  EXPECT_EQ(list.particles, 300);
  EXPECT_EQ(list.cells, 100);
  EXPECT_EQ(list.expanded_cells, 2.5);
  EXPECT_EQ(list.total(), 440);
  EXPECT_EQ(list.total(), static_cast<double>(raw.total()) / 2);
  EXPECT_EQ(mean_list_text(list), "300 particles + 100 cells + 16 x 2.5 expanded cells = 440 per particle");
  EXPECT_EQ(mean_list_json(list), nlohmann::json({{"pp", 300.0}, {"pc", 100.0}, {"expansions", 2.5}, {"raw", 440.0}}));
  raw.expansions = 0;
  EXPECT_EQ(mean_list_text(mean_list(raw, 2)), "300 particles + 100 cells = 400 per particle");
}

TEST(MeanList, GrowsAsTheCriterionHasIt) {
  RawCount raw;
  raw.particle_pairs = 1000;
  raw.cell_pairs = 300;
  raw.expansions = 10;
  GravityOptions angle;
  angle.mac = Mac::barnes90;
  const auto total = [&](const GravityOptions& walks, bool all_pairs) {
    return list_among(mean_list(raw, 1), walks, all_pairs, 1e4, 1e8).total();
  };
  EXPECT_DOUBLE_EQ(total(plummer_run(1000, 5).force, false), 1460);
  EXPECT_DOUBLE_EQ(total(angle, false), 1000 + 2 * 460);
  EXPECT_DOUBLE_EQ(total(angle, true), 1e7 + 460);
}

TEST(MeanList, PlansStateExpandedCells) {
  omp_set_num_threads(1);
  const auto backend = make_simd_backend();
  const TimePlan with = plan_time(plummer_run(40000, 5), *backend),
                 without = plan_time(plummer_run(40000, 0), *backend);
  EXPECT_EQ(without.list.expanded_cells, 0);
  EXPECT_GT(with.list.expanded_cells, 1);
  EXPECT_NEAR(with.list.particles, without.list.particles, 0.02 * without.list.particles);
  EXPECT_LT(with.list.cells, 0.6 * without.list.cells);
  EXPECT_LT(with.list.total(), 0.8 * without.list.total());
  EXPECT_NEAR(with.seconds_per_step * with.particles_per_second, 40000, 1e-6);
}

TEST(MeanList, PlansForManyRanksStateThemToo) {
  omp_set_num_threads(1);
  const RankPlan plan = plan_ranks(plummer_run(20000, 5), {}, 8, *make_simd_backend());
  EXPECT_GT(plan.list.expanded_cells, 1);
  EXPECT_NE(rank_plan_text(plan).find(mean_list_text(plan.list)), std::string::npos);
  EXPECT_EQ(rank_plan_json(plan).at("pairs_per_particle"), mean_list_json(plan.list));
}

/// Against an own clock around the same steps, which other programs may disturb: one of five comparisons must be close.
TEST(TimePlan, SecondsAreThoseOfItsSteps) {
  omp_set_num_threads(1);
  const auto backend = make_simd_backend();
  const Parameters parameters = parse_parameters(
      "", "test", {"model.kind=plummer", "model.particles=20000", "force.softening=0.01", "time.steps=global"});
  double nearest = 10;
  for (int trial = 0; trial < 5 && std::fabs(std::log(nearest)) > 0.3; ++trial) {
    const TimePlan plan = plan_time(parameters, *backend);
    EXPECT_DOUBLE_EQ(plan.seconds(), plan.expected.evaluations * plan.seconds_per_step);
    EXPECT_DOUBLE_EQ(plan.seconds_per_step * plan.particles_per_second, 20000);
    Simulation run(parameters, make_model(parameters.model, parameters.ic, parameters.cosmology), *backend);
    run.start();
    double fastest = 1e9;
    for (int s = 0; s < 3; ++s) {
      const double began = wall_time(), next = run.next_time();
      run.step(next);
      fastest = std::min(fastest, wall_time() - began);
    }
    nearest = plan.seconds_per_step / fastest;
  }
  EXPECT_NEAR(nearest, 1, 0.35);
}

}  // namespace
}  // namespace multiwalk
