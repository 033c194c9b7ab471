// SPDX-License-Identifier: GPL-3.0-or-later
// Plans for many ranks: rows, balance, what grows with a domain's surface, and how rows are told.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/force/simd_backend.hpp"
#include "run/plan/rank_plan.hpp"

namespace multiwalk {
namespace {

Parameters plummer(std::uint64_t particles) {
  return parse_parameters("", "test",
                          {"model.kind=plummer", "model.particles=" + std::to_string(particles), "force.theta=0.9"});
}

/// By one thread: many small sets would wait for others where tests share the cores.
RankPlan plan_of(const Parameters& parameters, int most_ranks, const RunShape& shape = {}) {
  omp_set_num_threads(1);
  return plan_ranks(parameters, shape, most_ranks, *make_simd_backend(), 1 << 15);
}

TEST(RankPlan, HasPowersOfTwoAndTheMostRanks) {
  EXPECT_EQ(planned_ranks(64), (std::vector<int>{8, 16, 32, 64}));
  EXPECT_EQ(planned_ranks(100), (std::vector<int>{8, 16, 32, 64, 100}));
  EXPECT_EQ(planned_ranks(3), (std::vector<int>{3}));
}

TEST(RankPlan, RowsAddUp) {
  const RankPlan plan = plan_of(plummer(20000), 100);
  ASSERT_EQ(plan.rows.size(), 5U);
  EXPECT_EQ(plan.particles, 20000U);
  EXPECT_EQ(plan.sample, 20000U);
  for (const RankPlanRow& row : plan.rows) {
    SCOPED_TRACE(row.ranks);
    EXPECT_EQ(row.grid[0] * row.grid[1] * row.grid[2], row.ranks);
    EXPECT_NEAR(row.particles, 20000.0 / row.ranks, 1e-9);
    EXPECT_GE(row.fullest, 1);
    EXPECT_LE(row.fullest, 1.6);
    EXPECT_GE(row.work_imbalance, 1);
    EXPECT_LE(row.work_imbalance, 1.6);
    EXPECT_NEAR(row.bytes(), 64 * row.cells + 16 * row.others, 1e-6 * row.bytes());
    EXPECT_GT(row.messages, row.bytes() / 10e9);
    EXPECT_GE(row.step, row.compute);
    EXPECT_LE(row.step, row.compute + row.messages);
    EXPECT_NEAR(row.efficiency * row.step * row.ranks, plan.rows[0].efficiency * plan.rows[0].step * 8, 1e-9);
  }
  EXPECT_LT(plan.rows[4].efficiency, plan.rows[0].efficiency);
}

/// Of equal particles in a cube cut into eight, a rank has an eighth and the balance is perfect but for single ones; in
/// a lattice the work is the same everywhere, too.
TEST(RankPlan, UniformBoxesAreBalanced) {
  const Parameters box = parse_parameters(
      "", "test", {"model.kind=box", "model.box_size=2000", "ic.grid=32", "ic.z_start=99", "force.accuracy=fast"});
  const RankPlan plan = plan_of(box, 8);
  ASSERT_EQ(plan.rows.size(), 1U);
  EXPECT_EQ(plan.rows[0].grid, (DomainGrid{2, 2, 2}));
  EXPECT_NEAR(plan.rows[0].fullest, 1, 0.03);
  EXPECT_NEAR(plan.rows[0].work_imbalance, 1, 0.03);
  EXPECT_GT(plan.rows[0].bytes(), 0);
}

/// A slab as deep as a pair force reaches around the faces of a cube; far cells are few.
TEST(RankPlan, MoreParticlesSendWhatASurfaceNeeds) {
  const RankPlan few = plan_of(plummer(1U << 15), 64), many = plan_of(plummer(1U << 21), 64);
  EXPECT_EQ(many.sample, few.particles);
  for (std::size_t k = 0; k < few.rows.size(); ++k) {
    SCOPED_TRACE(few.rows[k].ranks);
    const double grown = many.rows[k].bytes() / few.rows[k].bytes();
    EXPECT_GT(grown, std::pow(64, 1.0 / 3));
    EXPECT_LT(grown, 1.3 * std::pow(64, 2.0 / 3));
  }
}

/// Megabytes that were sent per rank among eight, each with 125,000 or a million particles of a uniform sphere
/// (decomposition/MEASUREMENTS.md).
TEST(RankPlan, ReceivesWhatRealRanksSend) {
  for (const auto& [particles, megabytes] : {std::pair{1000000, 1.59}, {8000000, 5.97}}) {
    const Parameters parameters = parse_parameters(
        "", "test",
        {"model.kind=uniform", "model.particles=" + std::to_string(particles), "force.theta=0.6", "force.mac=barnes90",
         "force.multipole=quadrupole", "force.group_size=256", "force.leaf_size=16"});
    const double found = plan_of(parameters, 8).rows[0].bytes() / 1e6;
    std::printf("%d: %.2f MB planned, %.2f sent\n", particles, found, megabytes);
    EXPECT_NEAR(found / megabytes, 1, 0.2);
  }
}

TEST(RankPlan, IsToldInATableAndInJson) {
  RunShape shape;
  shape.devices = 1;
  shape.program = 5e8;
  const RankPlan plan = plan_of(plummer(20000), 16, shape);
  const nlohmann::json json = rank_plan_json(plan);
  ASSERT_EQ(json.at("rows").size(), 2U);
  const nlohmann::json& row = json.at("rows")[1];
  EXPECT_EQ(row.at("ranks"), 16);
  EXPECT_EQ(row.at("memory").at("program"), 5e8);
  EXPECT_GT(row.at("memory").at("device").get<double>(), 7e8);
  EXPECT_EQ(row.at("particles").at("mean"), 1250);
  const std::string text = rank_plan_text(plan);
  EXPECT_NE(text.find("20,000 particles; a model of 20,000"), std::string::npos) << text;
  EXPECT_NE(text.find("10.0 GB/s and 2 us"), std::string::npos) << text;
}

}  // namespace
}  // namespace multiwalk
