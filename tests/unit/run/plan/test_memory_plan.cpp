// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that plans state, against peaks of runs that were measured on GPUs and against counts.
// tests/program/plan/test_plan_memory.sh compares plans with runs of its own.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "run/plan/memory_plan.hpp"
#include "run/plan/planned_model.hpp"

namespace multiwalk {
namespace {

constexpr double mib = 1024.0 * 1024, gib = 1024 * mib;
const std::string examples = MULTIWALK_SOURCE_DIR "/run/examples/";

Parameters sphere_of(std::uint64_t particles) {
  return parse_parameters("", "test", {"model.kind=plummer", "model.particles=" + std::to_string(particles)});
}

Parameters box_of(int grid) {
  return parse_parameters(
      "", "test", {"model.kind=box", "model.box_size=" + std::to_string(grid), "ic.grid=" + std::to_string(grid)});
}

RunShape on_device(bool walks = true, int ranks = 1) {
  return {.ranks = ranks, .devices = 1, .device_walks = walks, .program = 0.46e9};  // of a program with CUDA
}

TEST(MemoryPlan, CountsTheParticlesOfEveryLoad) {
  Parameters parameters = box_of(64);
  const auto particles = [&](LoadKind load) {
    parameters.ic.load = load;
    return planned_particles(parameters);
  };
  const auto conditions = [&] { return plan_memory(parameters, {}).initial_conditions; };
  EXPECT_EQ(particles(LoadKind::grid), 262144U);
  const double grid = conditions();
  EXPECT_EQ(particles(LoadKind::glass), 262144U);
  EXPECT_EQ(smaller_model(parameters, 20000).ic.load, LoadKind::grid);
  EXPECT_GT(conditions() - grid, 262144 * (24 + 8 * 3.375));  // their places, and a mesh 3/2 times as fine
  EXPECT_EQ(particles(LoadKind::bcc), 524288U);
  EXPECT_NEAR(conditions() - grid, 262144 * (76 + 8), 1);
  EXPECT_EQ(smaller_model(parameters, 65536).ic.grid, 32U);
  EXPECT_EQ(smaller_model(sphere_of(1000000), 1000).model.particles, 1000U);
  EXPECT_EQ(smaller_model(sphere_of(1000000), 2000000).model.particles, 1000000U);
}

/// A run of 1024^3 particles took 106 GiB on the host while initial conditions were made, 112.6 in steps.
TEST(MemoryPlan, LargeExamplesFitTheirMachines) {
  const Parameters parameters = read_parameters(examples + "lcdm_1024_gpu.toml");
  const MemoryPlan large = plan_memory(parameters, on_device(false));
  EXPECT_EQ(large.particles, std::uint64_t{1} << 30);
  EXPECT_NEAR(large.initial_conditions / (106 * gib), 1, 0.1);
  EXPECT_NEAR(large.step / (112.6 * gib), 1, 0.1);
  const Parameters sample = smaller_model(parameters, 100000);
  EXPECT_EQ(sample.ic.grid, 46U);
  EXPECT_EQ(sample.box_force.mesh, 34U);  // 3/4 of it, as in the whole
  EXPECT_LT(large.device / gib, 139);
  for (const RunShape& shape : {RunShape{}, on_device()}) {
    EXPECT_LT(plan_memory(read_parameters(examples + "lcdm_256.toml"), shape).peak() / gib, 8);
  }
}

/// Peaks of runs on H100 and H200 (decomposition/TREEPM_MEASUREMENTS.md, device/MEASUREMENTS.md), host and device.
struct MeasuredPeaks {
  const char* file;
  std::vector<std::string> settings;
  double host = 0, device = 0;  ///< bytes; 0: not measured
  RunShape shape = on_device();
};

TEST(MemoryPlan, IsNearThePeaksOfRunsOnDevices) {
  const std::string no_halos = "output.halos=false", no_power = "output.power=false";
  const std::string no_census = "output.census_epochs=0", no_pictures = "output.images=false";
  const std::string no_snapshots = "output.snapshots=false";
  const auto bare = [&](std::vector<std::string> more) {
    more.insert(more.end(), {no_pictures, no_snapshots, no_power, no_census});
    return more;
  };
  const std::string box = "lcdm_512_gpu.toml", small = "ic.grid=256", side = "model.box_size=500";
  const std::vector<MeasuredPeaks> runs{
      {box.c_str(), bare({"ic.grid=1024", "model.box_size=2000"}), 118.09e9, 127.91e9},
      {box.c_str(), bare({}), 15077 * mib, 18406 * mib},
      {box.c_str(), bare({small, side}), 2875 * mib, 4368 * mib},
      {box.c_str(), {small, side, no_pictures, no_snapshots}, 2.99e9, 0, on_device(true, 2)},
      {box.c_str(), {"output.halos=true", no_pictures, no_snapshots}, 21.74e9},
      {box.c_str(), {small, side, no_pictures, no_snapshots}, 3.01e9},
      {box.c_str(), {small, side, no_pictures, no_snapshots, no_census, "force.accuracy=\"reference\""}, 2.99e9},
      {"lcdm_box.toml", {"ic.grid=128", "model.box_size=100", no_pictures, no_snapshots}, 0.937e9},
      {box.c_str(), {"ic.grid=128", "model.box_size=250", no_pictures, no_power}, 0.857e9},
      {"hamada2009_gpu.toml", {no_census}, 73.5e9, 60e9},
      {"plummer.toml",
       {"model.particles=1048576", "force.mac=\"relative\"", "time.steps=\"block\"", no_pictures, no_snapshots},
       0.664e9,
       2.397e9}};
  for (const MeasuredPeaks& run : runs) {
    const Parameters parameters = read_parameters(examples + run.file, run.settings);
    const MemoryPlan plan = plan_memory(parameters, run.shape);
    SCOPED_TRACE(fmt::format("{} {}", run.file, fmt::join(run.settings, " ")));
    std::printf("%s %s, %d ranks: host %.3f", run.file, fmt::format("{}", fmt::join(run.settings, " ")).c_str(),
                run.shape.ranks, plan.peak() / run.host);
    EXPECT_NEAR(plan.peak() / run.host, 1, 0.2);
    if (run.device > 0) {
      std::printf(", device %.3f", plan.device / run.device);
      EXPECT_NEAR(plan.device / run.device, 1, 0.2);
    }
    std::printf(" of what was measured\n");
    if (run.shape.device_walks) {
      EXPECT_LT(plan.not_kept, plan.device);
    }
  }
}

/// Forces alone took 103 bytes per particle on the host, with a census 135 to 141; 111 on the device.
TEST(MemoryPlan, ADeviceThatGrowsTheTreeSparesTheHost) {
  Parameters parameters = sphere_of(100000000);
  parameters.force.mac = Mac::relative;
  const MemoryPlan host = plan_memory(parameters, {}), device = plan_memory(parameters, on_device(false));
  EXPECT_EQ(host.device, 0);
  EXPECT_LT(device.step, host.step);
  EXPECT_NEAR(device.step / 1e8, 138, 14);
  EXPECT_NEAR(device.device / 1e8, 111, 22);
  parameters.output.census_epochs = 0;
  EXPECT_NEAR(plan_memory(parameters, on_device(false)).step / 1e8, 103, 12);
}

/// The mesh of 192^3 cells twice, and per particle 16 bytes of forces, 4 of order and a cloud of 80.
TEST(MemoryPlan, CountsTheMeshOfABox) {
  Parameters parameters = box_of(128);
  parameters.box_force.accuracy = Accuracy::fast;
  parameters.output.power = parameters.output.images = false;
  const double n = 128.0 * 128 * 128;
  const double with = plan_memory(parameters, {}).step;
  parameters.run.backend = "ewald";  // without a mesh, but also without rungs and a table of Ewald sums
  EXPECT_FALSE(planned_box_forces(parameters));
  const double rungs = 1.08 * 13 * n;
  EXPECT_NEAR(with - plan_memory(parameters, {}).step - rungs - 15e6, 2.0 * 192 * 192 * 194 * 8 + n * (16 + 4 + 80), 1);
  parameters.run.backend = "cpu";
  parameters.output.power = true;  // on 256^3
  EXPECT_NEAR(plan_memory(parameters, {}).step - with, 16.0 * (256 * 256 * 258 - 192 * 192 * 194) - n * 16, 1);
}

TEST(MemoryPlan, LatticesMayHaveManySmallLeaves) {
  // Cells with 1/8 of 16.4 particles in place of one with 12.9: a node for 1.8 particles in place of 5, 115 bytes each.
  const auto per_particle = [](int grid) {
    Parameters parameters = box_of(grid);
    parameters.output.power = parameters.output.images = false;
    return plan_memory(parameters, {}).step / std::pow(grid, 3);
  };
  EXPECT_NEAR(per_particle(650) - per_particle(600), 1.08 * 115.4 * (8 / 7.0 / 2.05 - 3.2 / 16), 8);
}

TEST(MemoryPlan, ParticlesOfALightConeStayOnADevice) {
  Parameters parameters = box_of(128);
  const MemoryPlan kept = plan_memory(parameters, on_device());
  parameters.lightcone.shells = true;
  const MemoryPlan seen = plan_memory(parameters, on_device());
  const double particles = 128.0 * 128 * 128, maps = 2 * 12 * 512.0 * 512 * 4;
  EXPECT_EQ(seen.device, kept.device + maps) << "the device counts";
  EXPECT_NEAR(seen.step - kept.step, 2 * maps, 1) << "and two more are being written";
  parameters.lightcone.particles = true;
  const MemoryPlan stored = plan_memory(parameters, on_device());
  EXPECT_EQ(stored.device, kept.device) << "the host counts";
  EXPECT_NEAR(stored.step - kept.step, 57 * particles + 2 * maps, 1e6) << "all may pass: they are few";
  EXPECT_EQ(plan_memory(parameters, on_device(false)).not_kept, 0);
}

TEST(MemoryPlan, OfARankShrinksWithTheRanks) {
  Parameters parameters = sphere_of(1000000);
  parameters.output.images = false;
  const auto plan = [&](int ranks, double fullest) {
    return plan_memory(parameters, {.ranks = ranks, .fullest = fullest});
  };
  EXPECT_NEAR(plan(8, 1).initial_conditions, plan(1, 1).initial_conditions / 8, 1e3);
  const double per_particle = (plan(1, 1).step - 18e6) / 1e6;
  EXPECT_GT(per_particle, 76 + 86);
  EXPECT_NEAR(plan(8, 1.2).step - plan(8, 1).step, 0.2 / 8 * 1e6 * per_particle, 0.2 * 14e3 * std::pow(125e3, 2.0 / 3));
  EXPECT_NEAR(plan(8, 1).step, 18e6 + per_particle * 125e3 + 14e3 * 2500, 1) << "2500: particles of a surface";
}

}  // namespace
}  // namespace multiwalk
