// SPDX-License-Identifier: GPL-3.0-or-later
// Interactions that a plan states: their kinds, how they grow, and that those of a short list take less time.
#include <gtest/gtest.h>
#include <omp.h>

#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "run/plan/plan.hpp"
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
  const MeanList list(raw, 2);
  EXPECT_EQ(list.particles, 300);
  EXPECT_EQ(list.cells, 100);
  EXPECT_EQ(list.expanded_cells, 2.5);
  EXPECT_EQ(list.total(), 440);
  EXPECT_EQ(list.total(), static_cast<double>(raw.total()) / 2);
  EXPECT_EQ(mean_list_text(list), "300 particles + 100 cells + 16 x 2.5 expanded cells = 440 per particle");
  EXPECT_EQ(mean_list_json(list), nlohmann::json({{"pp", 300.0}, {"pc", 100.0}, {"expansions", 2.5}, {"raw", 440.0}}));
  raw.expansions = 0;
  EXPECT_EQ(mean_list_text(MeanList(raw, 2)), "300 particles + 100 cells = 400 per particle");
}

TEST(MeanList, GrowsAsTheCriterionHasIt) {
  RawCount raw;
  raw.particle_pairs = 1000;
  raw.cell_pairs = 300;
  raw.expansions = 10;
  const MeanList measured(raw, 1);
  const auto total = [&](ListGrowth growth) { return list_among(measured, growth, 1e4, 1e8).total(); };
  EXPECT_DOUBLE_EQ(total(ListGrowth::none), 1460);
  EXPECT_DOUBLE_EQ(total(ListGrowth::far_cells), 1000 + 2 * 460);
  EXPECT_DOUBLE_EQ(total(ListGrowth::all_pairs), 1e7 + 460);
  const auto backend = make_simd_backend();
  EXPECT_EQ(growth_of(plummer_run(1000, 5).force, *backend), ListGrowth::none);
  GravityOptions angle;
  angle.mac = Mac::barnes90;
  EXPECT_EQ(growth_of(angle, *backend), ListGrowth::far_cells);
  EXPECT_EQ(growth_of(angle, *make_reference_backend(true)), ListGrowth::all_pairs);
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
  RankPlanRequest request;
  request.parameters = plummer_run(20000, 5);
  request.most_ranks = 8;
  const RankPlan plan = plan_ranks(request, *make_simd_backend());
  EXPECT_GT(plan.list.expanded_cells, 1);
  EXPECT_NE(rank_plan_text(plan).find(mean_list_text(plan.list)), std::string::npos);
  EXPECT_EQ(rank_plan_json(plan).at("pairs_per_particle"), mean_list_json(plan.list));
  RankPlanRequest large = request;
  large.parameters = plummer_run(1000000, 5);
  large.realise = 20000;
  EXPECT_DOUBLE_EQ(plan_ranks(large, *make_simd_backend()).list.total(), plan.list.total());
}

}  // namespace
}  // namespace multiwalk
