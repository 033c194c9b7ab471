// SPDX-License-Identifier: GPL-3.0-or-later
// What virtual ranks would exchange compared with what as many real ranks do.
#include <gtest/gtest.h>

#include <cmath>

#include "decomposition/domains/domains.hpp"
#include "decomposition/essential_trees/essential_trees.hpp"
#include "decomposition/essential_trees/virtual_ranks.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/mpi/shared_models.hpp"

namespace multiwalk {
namespace {

using test::Model;

const PairLaw law{1, 0.01, MultipoleOrder::quadrupole};

GravityOptions options_of(Mac mac) {
  return {mac, 0.6, 0.005, MultipoleOrder::quadrupole, 64, 8};
}

/// One evaluation of all on this rank alone: work, accelerations, keys.
Cube evaluate_alone(ParticleStore& all, const GravityOptions& options) {
  const auto backend = make_simd_backend();
  GravitySolver(options, *backend, 1).accelerate(all, law);
  return enclosing_cube(bounding_box(all.position));
}

struct Exchanged {
  EssentialStatistics trees;
  std::uint64_t bytes;  ///< of all messages
};

/// The last of some evaluations.
Exchanged exchanged(const ParticleStore& all, const GravityOptions& options, int far_from, int evaluations) {
  ParticleStore mine = test::share_of(all);
  MultisectionOptions sections;
  sections.smoothing = 1;
  Domains domains(world(), sections);
  EssentialTrees trees(world(), far_from);
  const auto backend = make_simd_backend();
  GravitySolver solver(options, *backend, 1);
  std::uint64_t before = 0;
  for (int e = 0; e < evaluations; ++e) {
    domains.distribute(mine);
    before = Communicator::bytes_sent();
    solver.accelerate(mine, law, {.remote = &trees});
  }
  return {trees.statistics(), Communicator::bytes_sent() - before};
}

VirtualExchange predicted(const ParticleStore& all, const Cube& cube, const GravityOptions& options, int far_from) {
  VirtualOptions given;
  given.walks.options = options;
  given.far_from = far_from;
  return VirtualRanks(all, cube, world().size(), given).exchange();
}

double mean(std::uint64_t mine) {
  return static_cast<double>(world().sum(mine)) / world().size();
}

struct VirtualCase {
  const char* name;
  Model model;
  Mac mac;
  int far_from;
};

class VirtualRanksTest : public testing::TestWithParam<VirtualCase> {};

TEST_P(VirtualRanksTest, SendWhatRealOnesDo) {
  const VirtualCase& c = GetParam();
  const GravityOptions options = options_of(c.mac);
  ParticleStore all = test::make(c.model, 10000, 32);
  const Cube cube = evaluate_alone(all, options);
  const auto [real, all_bytes] = exchanged(all, options, c.far_from, 1);
  const VirtualExchange plan = predicted(all, cube, options, c.far_from);
  EXPECT_EQ(plan.sampled, world().size());
  EXPECT_EQ(plan.bytes.error, 0);
  EXPECT_NEAR(plan.nodes.mean, mean(real.nodes_sent), 2e-3 * mean(real.nodes_sent));
  EXPECT_NEAR(plan.particles.mean, mean(real.particles_sent), 2e-3 * mean(real.particles_sent));
  EXPECT_NEAR(plan.bytes.mean, mean(real.bytes_sent), 2e-3 * mean(real.bytes_sent));
  EXPECT_NEAR(plan.bytes.most, static_cast<double>(world().max(real.bytes_sent)), 5e-3 * plan.bytes.most);
  EXPECT_NEAR(plan.readers.mean, mean(real.ranks_near), 1e-9);
  const double counts = 2 * sizeof(std::uint64_t) * plan.readers.mean;
  EXPECT_NEAR(plan.bytes.mean + plan.early_bytes.mean + counts, mean(all_bytes), 2e-3 * mean(all_bytes));
  if (c.model == Model::rod && world().size() > 5) {
    EXPECT_LT(plan.readers.mean, world().size() - 1.5);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, VirtualRanksTest,
                         testing::Values(VirtualCase{"PlummerBh86", Model::plummer, Mac::bh86, 64},
                                         VirtualCase{"PlummerBarnes", Model::plummer, Mac::barnes90, 64},
                                         VirtualCase{"PlummerOffset", Model::plummer, Mac::offset, 64},
                                         VirtualCase{"PlummerRelative", Model::plummer, Mac::relative, 64},
                                         VirtualCase{"LcdmBarnes", Model::lcdm, Mac::barnes90, 64},
                                         VirtualCase{"LcdmRelative", Model::lcdm, Mac::relative, 64},
                                         VirtualCase{"LcdmFar", Model::lcdm, Mac::barnes90, 0},
                                         VirtualCase{"RodFar", Model::rod, Mac::barnes90, 0}),
                         [](const auto& test) { return std::string(test.param.name); });

/// The cuts of a run follow the work that ranks did, those of a plan the work of one rank.
TEST(VirtualRanksPlan, IsWithinAFifthOfARun) {
  if (world().size() != 8) GTEST_SKIP() << "for eight ranks";
  for (const Model model : {Model::plummer, Model::lcdm}) {
    const GravityOptions options = options_of(Mac::barnes90);
    ParticleStore all = test::make(model, 40000, 32);
    const Cube cube = evaluate_alone(all, options);
    const EssentialStatistics real = exchanged(all, options, all_send_to_all, 3).trees;
    const VirtualExchange plan = predicted(all, cube, options, all_send_to_all);
    const double sent = mean(real.bytes_sent);
    EXPECT_NEAR(plan.bytes.mean, sent, 0.2 * sent);
    EXPECT_NEAR(plan.bytes.most, static_cast<double>(world().max(real.bytes_sent)), 0.2 * plan.bytes.most);
    if (!world().root()) continue;
    std::printf("%s: planned %.0f bytes a rank, sent %.0f\n", model == Model::lcdm ? "LCDM" : "Plummer",
                plan.bytes.mean, sent);
  }
}

}  // namespace
}  // namespace multiwalk
