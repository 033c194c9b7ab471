// SPDX-License-Identifier: GPL-3.0-or-later
// Block steps against steps of all particles together: the same where all are on one rung, second order in the step,
// and the same structure in a box.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <numbers>

#include "host/base/separation.hpp"
#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "run/evolve/simulation.hpp"

namespace multiwalk {
namespace {

ParticleSystem make(const Parameters& p) {
  return make_model(p.model, p.ic, p.cosmology);
}

std::map<std::uint64_t, Vec3d> places(const ParticleStore& store) {
  std::map<std::uint64_t, Vec3d> place;
  for (std::size_t i = 0; i < store.size(); ++i) place[store.id[i]] = store.position[i];
  return place;
}

/// Largest distance after `steps` steps between block steps on one rung and global ones, over the largest way.
double difference_on_one_rung(Parameters parameters, int steps) {
  parameters.time.eta = 1;
  const auto backend = make_simd_backend();
  const auto start = places(make(parameters).particles);
  parameters.time.steps = Steps::block;
  Simulation block(parameters, make(parameters), *backend);
  Parameters together = parameters;
  together.time.steps = Steps::global;
  Simulation global(together, make(together), *backend);
  block.start();
  global.start();
  for (int s = 0; s < steps; ++s) {
    const double next = block.next_time();
    const BlockRecord record = block.step(next).block;
    EXPECT_EQ(record.substeps, 1U);
    EXPECT_EQ(record.rungs, std::vector<std::uint64_t>{block.particle_count()});
    global.step(next);
  }
  const auto one = places(block.on_host().particles), other = places(global.on_host().particles);
  const double side = period_of(block.on_host());
  double apart = 0, way = 0;
  for (const auto& [id, place] : one) {
    apart = std::max(apart, norm(separation(place, other.at(id), side)));
    way = std::max(way, norm(separation(place, start.at(id), side)));
  }
  std::printf("one rung, %d steps: apart by %.1e of the longest way\n", steps, apart / way);
  return apart / way;
}

TEST(BlockSteps, OnOneRungAreTheGlobalLeapfrog) {
  Parameters plummer;
  plummer.model.kind = ModelKind::plummer;
  plummer.model.particles = 500;
  plummer.softening.softening = 0.05;
  plummer.time.max_dt = 0.02;
  EXPECT_LT(difference_on_one_rung(plummer, 20), 1e-6);
  Parameters sphere;
  sphere.model.kind = ModelKind::sphere;
  sphere.model.radius = 6;
  sphere.ic.grid = 16;
  EXPECT_LT(difference_on_one_rung(sphere, 5), 1e-6);
  Parameters box;
  box.model.kind = ModelKind::box;
  box.model.box_size = 50;
  box.ic.grid = 16;
  box.ic.z_start = 49;
  EXPECT_LT(difference_on_one_rung(box, 5), 1e-6);
}

/// A tight pair of eccentricity 0.5 and a third body far out, five rungs apart. Worst energy errors in the first and
/// the second half of 28 periods of the pair.
std::array<double, 2> triple_error(double eta, double max_dt) {
  ParticleSystem system;
  system.frame = Frame::newtonian;
  system.time = 0;
  ParticleStore& p = system.particles;
  p.resize(3);
  const double a = 0.05, e = 0.5, apocentre = a * (1 + e), speed = std::sqrt((1 - e) / (1 + e) / a);
  p.position = {{0.5 * apocentre, 0, 0}, {-0.5 * apocentre, 0, 0}, {0, 2, 0}};
  p.velocity = {{0, static_cast<float>(0.5 * speed), 0}, {0, static_cast<float>(-0.5 * speed), 0}, {-0.7F, 0, 0}};
  p.mass = {0.5F, 0.5F, 0.1F};
  p.id = {0, 1, 2};
  Parameters parameters;
  parameters.time.steps = Steps::block;
  parameters.time.eta = eta;
  parameters.time.max_dt = max_dt;
  parameters.softening.softening = 0.002;
  const auto backend = make_reference_backend(true);
  Simulation simulation(parameters, std::move(system), *backend);
  simulation.start();
  std::array<double, 2> worst{};
  std::size_t rungs = 0;
  while (simulation.time() < 2) {
    rungs = std::max(rungs, simulation.step(simulation.next_time()).block.rungs.size());
    double& half = worst[simulation.time() > 1 ? 1 : 0];
    half = std::max(half, simulation.energy_error());
  }
  std::printf("triple, eta %g, blocks of %g, %zu rungs: |dE/E| %.2e, then %.2e\n", eta, max_dt, rungs, worst[0],
              worst[1]);
  return worst;
}

TEST(BlockSteps, AreOfSecondOrder) {
  const std::array<double, 2> coarse = triple_error(0.025 / 4, 0.025), fine = triple_error(0.025 / 16, 0.0125);
  EXPECT_NEAR(coarse[0] / fine[0], 4, 1);
  EXPECT_LT(coarse[1], 1e-3);
  EXPECT_LT(coarse[1], 1.5 * coarse[0]);
}

/// Power of each shell of modes up to half the Nyquist wavenumber.
std::vector<double> power(const ParticleSystem& system, int shells) {
  std::vector<double> sum(static_cast<std::size_t>(shells) + 1), count(sum.size());
  for (int x = -shells; x <= shells; ++x) {
    for (int y = -shells; y <= shells; ++y) {
      for (int z = 0; z <= shells; ++z) {
        const auto shell = static_cast<std::size_t>(std::lround(std::sqrt(x * x + y * y + z * z)));
        if (shell == 0 || shell >= sum.size()) continue;
        const Vec3d k = 2 * std::numbers::pi / system.box_size * Vec3d{double(x), double(y), double(z)};
        std::complex<double> mode;
        for (const Vec3d& place : system.particles.position) mode += std::polar(1.0, -dot(k, place));
        sum[shell] += std::norm(mode);
        count[shell] += 1;
      }
    }
  }
  for (std::size_t s = 1; s < sum.size(); ++s) sum[s] /= count[s];
  return sum;
}

struct BoxRun {
  std::vector<double> power;
  double evaluations = 0, layzer_irvine = 0;
  std::uint64_t substeps = 0;
};

BoxRun box_run(Steps steps, double eta, double max_dlna) {
  Parameters parameters;
  parameters.model.kind = ModelKind::box;
  parameters.model.box_size = 25;
  parameters.ic.grid = 16;
  parameters.ic.z_start = 49;
  parameters.box_force.accuracy = Accuracy::fast;
  parameters.time = {.steps = steps, .eta = eta, .max_dlna = max_dlna};
  const auto backend = make_simd_backend();
  Simulation simulation(parameters, make(parameters), *backend);
  simulation.start();
  BoxRun run;
  while (simulation.time() < 1) {
    const StepRecord record = simulation.step(std::min(1.0, simulation.next_time()));
    run.evaluations += record.evaluations(simulation.particle_count());
    run.substeps += std::max<std::uint64_t>(record.block.substeps, 1);
    run.layzer_irvine = std::max(run.layzer_irvine, simulation.energy_error());
  }
  run.power = power(simulation.on_host(), 4);
  std::printf("box, eta %g: %llu steps and substeps, %.0f forces on each particle, Layzer-Irvine %.1e\n", eta,
              static_cast<unsigned long long>(run.substeps), run.evaluations, run.layzer_irvine);
  return run;
}

TEST(BlockSteps, GiveTheStructureOfGlobalStepsForLess) {
  const BoxRun block = box_run(Steps::block, 0.025, 0.05), global = box_run(Steps::global, 0.025 / 4, 0.025);
  for (std::size_t shell = 1; shell < block.power.size(); ++shell) {
    std::printf("k = %zu: P over that of global steps half as long: %.5f\n", shell,
                block.power[shell] / global.power[shell]);
    EXPECT_NEAR(block.power[shell] / global.power[shell], 1, 3e-3);
  }
  EXPECT_LT(block.layzer_irvine, 1e-3);
  EXPECT_LT(block.evaluations, 0.5 * static_cast<double>(block.substeps));
}

}  // namespace
}  // namespace multiwalk
