// SPDX-License-Identifier: GPL-3.0-or-later
// Steps and evaluations that a plan states, against runs.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "host/cosmology/growth.hpp"
#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "ic/power/linear_power.hpp"
#include "run/plan/expected_steps.hpp"
#include "run/plan/planned_model.hpp"

namespace multiwalk {
namespace {

struct MadeRun {
  const char* name;
  std::string settings;  ///< beside those of parameters_of
  double steps, evaluations;
};

/// A box from z = 49 to 0, with blocks of steps unless the settings say otherwise.
Parameters parameters_of(const MadeRun& run) {
  std::vector<std::string> settings{"model.kind=box", "ic.z_start=49", "time.eta=0.025"};
  std::size_t at = 0;
  while (at < run.settings.size()) {
    const std::size_t end = std::min(run.settings.find(' ', at), run.settings.size());
    settings.push_back(run.settings.substr(at, end - at));
    at = end + 1;
  }
  return parse_parameters("", "test", settings);
}

ExpectedSteps expected_of(const Parameters& parameters) {
  ParticleSystem system;
  const bool sphere = parameters.model.kind == ModelKind::sphere;
  system.boundary = sphere ? Boundary::vacuum : Boundary::periodic;
  system.time = 1 / (1 + parameters.ic.z_start);
  system.spacing = parameters.model.box_size / parameters.ic.grid;
  const double softening =
      parameters.softening.softening < 0 ? system.spacing / 25 : parameters.softening.softening / 1000;
  return expected_cosmic_steps(parameters, system, softening);
}

// Evaluations are those of the forces on a particle: a box whose structures are coarser has fewer, but never less than
// one a block, and there are at least ln((1 + z_start) / (1 + z_end)) / 0.03 blocks.
TEST(ExpectedSteps, AreNearThoseOfRuns) {
  const std::vector<MadeRun> runs = {
      {"spacing 8 Mpc/h", "model.box_size=192 ic.grid=24", 131, 133.3},
      {"spacing 3 Mpc/h", "model.box_size=72 ic.grid=24", 131, 156.5},
      {"spacing 1 Mpc/h", "model.box_size=24 ic.grid=24", 131, 221.1},
      {"spacing 0.3 Mpc/h", "model.box_size=7.2 ic.grid=24", 131, 328.8},
      {"longer steps", "model.box_size=24 ic.grid=24 time.eta=0.08", 131, 161.5},
      {"other forces", "model.box_size=24 ic.grid=24 force.accuracy=fast", 131, 221.3},
      {"an early end", "model.box_size=24 ic.grid=24 time.z_end=2", 94, 107.9},
      {"more particles", "model.box_size=64 ic.grid=32", 131, 180.1},
      {"a wide softening", "model.box_size=24 ic.grid=24 force.softening=100 ic.z_start=99", 154, 179.4},
      {"a small box", "model.box_size=8 ic.grid=16", 131, 256.5},
      {"global steps", "model.box_size=24 ic.grid=24 time.steps=global", 598, 598},
      {"global steps, coarse", "model.box_size=72 ic.grid=24 time.steps=global", 356, 356},
      {"global steps, fine", "model.box_size=12 ic.grid=24 time.z_end=1 time.steps=global", 457, 457},
      {"a sphere, global steps",
       "model.kind=sphere model.radius=12 model.box_size=24 ic.grid=24 time.eta=0.08 time.steps=global", 319, 319},
      {"a sphere, blocks", "model.kind=sphere model.radius=12 model.box_size=24 ic.grid=24 time.steps=block", 79,
       180.0},
  };
  for (const MadeRun& run : runs) {
    SCOPED_TRACE(run.name);
    const ExpectedSteps found = expected_of(parameters_of(run));
    std::printf("%s: %.0f steps (%.0f), %.1f evaluations (%.1f), %+.0f%%\n", run.name, found.steps, run.steps,
                found.evaluations, run.evaluations, 100 * (found.evaluations / run.evaluations - 1));
    const bool blocks = run.settings.find("global") == std::string::npos;
    EXPECT_NEAR(found.steps / run.steps, 1, blocks ? 0 : 0.3);
    EXPECT_NEAR(found.evaluations / run.evaluations, 1, blocks ? 0.2 : 0.3);
    EXPECT_FALSE(found.limited);
  }
}

/// 128^3 particles in 1 Gpc/h from z = 127: 162 blocks, in which hardly any particle takes shorter steps.
TEST(ExpectedSteps, OfCoarseBoxesAreTheLongestBlocks) {
  const ExpectedSteps found = expected_of(parameters_of({"", "model.box_size=1000 ic.grid=128 ic.z_start=127", 0, 0}));
  EXPECT_EQ(found.steps, std::ceil(std::log(128) / 0.03));
  EXPECT_GE(found.evaluations, found.steps);
  EXPECT_LT(found.evaluations, 1.05 * found.steps);
}

TEST(ExpectedSteps, FollowTheSettings) {
  const std::string box = "model.box_size=24 ic.grid=24 ";
  const auto steps = [&](const std::string& more) { return expected_of(parameters_of({"", box + more, 0, 0})); };
  EXPECT_EQ(steps("time.max_dlna=0.01").steps, std::ceil(std::log(50) / 0.01));
  // Each output ends a block, and no block is left that is much shorter than others.
  EXPECT_NEAR(steps("output.redshifts=[9,3,1]").steps, std::log(50) / 0.03 + 2, 3);
  const ExpectedSteps limited = steps("time.max_steps=20");
  EXPECT_TRUE(limited.limited);
  EXPECT_EQ(limited.steps, 20);
  EXPECT_EQ(limited.evaluations, 20);
  // Half the softening needs sqrt(2) as many steps in halos; a cap of it counts from its epoch on.
  const auto added = [&](const std::string& more) { return steps(more).evaluations - steps(more).steps; };
  EXPECT_GT(added("force.softening=20"), 1.2 * added("force.softening=40"));
  EXPECT_GT(added("force.softening_max_physical=10"), 1.2 * added(""));
  EXPECT_EQ(added("force.softening_max_physical=41"), added(""));
  EXPECT_GE(added("time.min_step=0.01"), 0);
  EXPECT_LT(added("time.min_step=0.01"), 0.8 * added(""));
}

/// Of a large box with many particles, whose linear motions pass a quarter of the split's scale in less than 0.03.
TEST(ExpectedSteps, OfFineBoxesAreShortened) {
  const Parameters parameters = parameters_of({"", "model.box_size=300 ic.grid=1000", 0, 0});
  const LinearPower power = LinearPower::eisenstein_hu(parameters.cosmology);
  double square = 0;
  const double first = 2 * std::numbers::pi / 300, width = 1e-3;
  for (double ln_k = std::log(first) + width / 2; ln_k < std::log(1e3); ln_k += width) {
    const double k = std::exp(ln_k);
    square += width * k * power(k) / (2 * std::numbers::pi * std::numbers::pi);
  }
  const Growth growth{Expansion(parameters.cosmology)};
  const double quarter = 0.25 * planned_box_forces(parameters)->split.scale;
  double blocks = 0;
  for (double ln_a = -std::log(50) + width / 2; ln_a < 0; ln_a += width) {
    const double a = std::exp(ln_a), way = std::sqrt(square) * growth.factor(a) / growth.factor(1) * growth.rate(a);
    blocks += width / std::min(0.03, quarter / way);
  }
  EXPECT_GT(blocks, 140);
  EXPECT_NEAR(expected_of(parameters).steps, blocks, 2);
}

Parameters plummer_of(std::uint64_t particles, const char* steps) {
  return parse_parameters("", "test",
                          {"model.kind=plummer", "model.particles=" + std::to_string(particles), "force.softening=0.01",
                           std::string("time.steps=") + steps, "time.t_end=0.5"});
}

/// A cluster in equilibrium keeps its accelerations, so that all blocks are like the first.
TEST(ExpectedSteps, OfIsolatedSystemsAreThoseOfTheirRuns) {
  omp_set_num_threads(1);
  const auto backend = make_simd_backend();
  for (const char* steps : {"block", "global"}) {
    const Parameters parameters = plummer_of(2000, steps);
    Parameters at_once = parameters;
    at_once.time.steps = Steps::global;
    Simulation start(at_once, make_model(parameters.model, parameters.ic, parameters.cosmology), *backend);
    start.start();
    const ExpectedSteps found = expected_newtonian_steps(parameters, start);
    Simulation run(parameters, make_model(parameters.model, parameters.ic, parameters.cosmology), *backend);
    run.start();
    double made = 0, evaluations = 0;
    while (run.time() < 0.5) {
      evaluations += run.step(std::min(0.5, run.next_time())).evaluations(2000);
      ++made;
    }
    std::printf("%s steps: %.0f (%.0f), %.1f evaluations (%.1f)\n", steps, found.steps, made, found.evaluations,
                evaluations);
    EXPECT_NEAR(found.steps / made, 1, 0.1);
    EXPECT_NEAR(found.evaluations / evaluations, 1, 0.1);
  }
}

}  // namespace
}  // namespace multiwalk
