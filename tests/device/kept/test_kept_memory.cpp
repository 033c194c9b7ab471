// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes on a device that keeps the particles of a box, against those that `multiwalk plan` counts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "run/evolve/simulation.hpp"
#include "run/evolve/starting_system.hpp"
#include "run/plan/memory_plan.hpp"
#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {
namespace {

constexpr std::uint32_t mesh_cells = 768;

/// The mesh is so fine that its force takes more memory than walks do, whose lists depend on the device. A copy of the
/// positions would take 6% more. The plan counts working memory of cuFFT as large as the mesh; some versions need none.
TEST(KeptMemory, IsWhatThePlanCounts) {
  CudaOptions options;
  options.device_walks = true;
  const auto backend = backend_or_null(options);
  if (!backend) GTEST_SKIP() << "no CUDA device";
  Parameters parameters =
      read_parameters(MULTIWALK_SOURCE_DIR "/run/examples/lcdm_512_gpu.toml",
                      {"ic.grid=256", "model.box_size=500", "force.mesh=" + std::to_string(mesh_cells),
                       "output.redshifts=[]", "output.images=false", "output.power=false", "output.snapshots=false"});
  Simulation simulation(parameters, starting_system(parameters), *backend);
  simulation.start();
  for (int block = 0; block < 2; ++block) simulation.step(simulation.next_time());
  const MemoryPlan plan = plan_memory(parameters, {.devices = 1, .device_walks = true});
  const auto held = static_cast<double>(backend->peak_device_memory());
  std::printf("%.1f MB held, %.1f MB planned\n", held / 1e6, plan.device / 1e6);
  const double mesh = sizeof(float) * std::pow(mesh_cells, 2) * (mesh_cells + 2);
  EXPECT_LT(std::min(std::abs(plan.device / held - 1), std::abs(plan.device / (held + mesh) - 1)), 0.02);
}

}  // namespace
}  // namespace multiwalk::device_test
