// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan foretells of eight ranks, which one process made, compared with a step of eight ranks.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "run/plan/rank_plan.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

TEST(RankPlanOfARun, IsNearAStepOfEightRanks) {
  if (world().size() != 8) GTEST_SKIP() << "for eight ranks";
  const std::vector<std::vector<std::string>> runs{
      {"model.kind=plummer", "model.particles=30000"},
      {"model.kind=sphere", "model.radius=20", "ic.grid=40", "ic.z_start=3"},
      {"model.kind=box", "model.box_size=40", "ic.grid=32", "ic.z_start=9", "force.accuracy=fast"}};
  for (std::vector<std::string> settings : runs) {
    SCOPED_TRACE(settings[0]);
    settings.insert(settings.end(), {"run.threads=1", "time.steps=global"});
    const Parameters p = parse_parameters("", "test", settings);
    const auto backend = make_simd_backend();
    ParticleSystem share = make_model(p.model, p.ic, p.cosmology, nullptr, world());
    Simulation run(p, std::move(share), *backend, world());
    run.start();
    StepRecord step;
    for (int s = 0; s < 3; ++s) step = run.step(run.next_time());
    if (!world().root()) continue;
    const RankPlanRow row = plan_ranks(p, {}, 8, *backend).rows.at(0);
    const RankFigures& real = step.ranks;
    std::printf("%s: planned and real %.0f, %.0f bytes, particles m/m %.3f, %.3f, work m/m %.3f, %.3f\n",
                settings[0].c_str(), row.bytes(), real.tree_bytes.mean, row.fullest, real.particles.imbalance(),
                row.work_imbalance, real.work.imbalance());
    EXPECT_NEAR(row.bytes() / real.tree_bytes.mean, 1, 0.35);
    EXPECT_NEAR(row.fullest, real.particles.imbalance(), 0.1);
    EXPECT_NEAR(row.work_imbalance, real.work.imbalance(), 0.1);
  }
}

}  // namespace
}  // namespace multiwalk
