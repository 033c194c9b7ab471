// SPDX-License-Identifier: GPL-3.0-or-later
// Accelerations in the snapshots of whole runs, by trees and by direct summation, compared with sums over all pairs of
// the snapshot's own particles.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "host/force/simd_backend.hpp"
#include "run/driver/run.hpp"
#include "run/evolve/simulation.hpp"
#include "run/files/atomic_file.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/outputs/snapshot_output.hpp"
#include "run/setup/run_setup.hpp"
#include "run/snapshots/snapshot.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using test::TemporaryDirectory;

constexpr double softened_by = 0.05;

constexpr const char* cluster = R"(
[model]
kind = "plummer"
particles = 60
[force]
softening = 0.05
[time]
t_end = 0.1
[output]
accelerations = true
images = false
error_sample = 0
)";

/// The largest difference between the snapshot's accelerations and direct sums, relative to the largest of the latter.
double greatest_error(const std::string& path) {
  const ParticleStore p = read_snapshot(path).system.particles;
  const auto written = hdf5::File::open(path).group("PartType1")->read_dataset<float>("Acceleration", 3);
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    Vec3d sum;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const Vec3d d = p.position[j] - p.position[i];
      sum += static_cast<double>(p.mass[j]) / std::pow(norm2(d) + softened_by * softened_by, 1.5) * d;
    }
    const Vec3d told{written[3 * i], written[3 * i + 1], written[3 * i + 2]};
    error = std::max(error, norm(told - sum));
    largest = std::max(largest, norm(sum));
  }
  return error / largest;
}

TEST(WrittenAccelerations, OfDirectRunsAreThoseOfThePresentPlaces) {
  for (const char* integrator :
       {"integrator=tv", "integrator=tv_half_kicks", "integrator=leapfrog", "integrator=hermite", "steps=block"}) {
    const TemporaryDirectory directory;
    RunRequest request;
    request.parameter_file = directory / "cluster.toml";
    write_file_atomically(request.parameter_file, cluster);
    request.settings = {"force.method=direct", "time.integrator=hermite", "run.backend=cpu",
                        "run.directory=" + directory / "run", std::string("time.") + integrator};
    if (std::string(integrator) != "steps=block") {
      request.settings.insert(request.settings.end(), {"time.steps=fixed", "time.max_dt=0.05"});
    }
    RunSetup beginning = set_up_run(request, {});
    IcProgress making([](const std::string&) {});
    make_particles(beginning, {}, making);
    Progress silent;
    EXPECT_EQ(multiwalk::Run(std::move(beginning), {}, {}, silent, wall_time())(), ExitCode::ok);
    EXPECT_LT(greatest_error(directory / "run/snapshot_000.hdf5"), 2e-6) << integrator;
  }
}

TEST(WrittenAccelerations, OfARunWithTrees) {
  const TemporaryDirectory directory;
  Parameters parameters = parse_parameters(cluster, "cluster", {"force.theta=0.3"});
  parameters.run.directory = directory.path();
  const auto backend = make_simd_backend();
  Simulation simulation(parameters, make_model(parameters.model, {}, {}), *backend);
  simulation.start();
  simulation.step(simulation.next_time());
  const Communicator alone;
  const auto written = [&](std::size_t number) {
    const nlohmann::json files = SnapshotOutput().write(
        {.comm = alone, .parameters = parameters, .particles = simulation.particles(), .number = number});
    return files.at(0).get<std::string>();
  };
  EXPECT_LT(greatest_error(written(0)), 1e-3);
  parameters.output.accelerations = false;
  EXPECT_FALSE(hdf5::File::open(written(1)).group("PartType1")->has("Acceleration"));
}

}  // namespace
}  // namespace multiwalk
