// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/running_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "run/driver/passed_outputs.hpp"
#include "run/maps/grid_output.hpp"
#include "run/maps/plane_output.hpp"
#include "run/sky/light_cone.hpp"
#include "run/trees/tree_outputs.hpp"

namespace multiwalk {

namespace {

using Tell = std::function<void(const std::string&)>;

std::unique_ptr<RunningOutput> make_light_cone(RunSetup& setup, const ParticleSystem& system, const Communicator& comm,
                                               const Tell& tell) {
  const bool stored = !setup.is_new() && setup.state.contains("light_cone");
  if (!setup.parameters.lightcone.wanted()) {
    if (stored) throw SharedError("the checkpoint has a light cone, which a restart cannot leave out: see [lightcone]");
    return nullptr;
  }
  LightConeState state;
  if (stored) state = {setup.state.at("light_cone"), std::move(setup.sky)};
  return std::make_unique<LightCone>(setup.parameters, system, comm, stored ? &state : nullptr, tell);
}

/// Throws SharedError if one of these redshifts lies before the start of the run.
void require_in_run(const RunSetup& setup, const char* name, const std::vector<double>& redshifts) {
  constexpr double rounding = 1e-12;
  for (const double z : redshifts) {
    if (1 / (1 + z) < setup.first_time * (1 - rounding)) {
      throw SharedError(
          fmt::format("{}: {} lies before the start of the run at z = {:.6g}", name, z, 1 / setup.first_time - 1));
    }
  }
}

std::unique_ptr<RunningOutput> make_trees(RunSetup& setup, const ParticleSystem& system, std::uint64_t step,
                                          const Communicator& comm) {
  const Parameters& parameters = setup.parameters;
  if (!parameters.trees.wanted() || system.frame != Frame::comoving) return nullptr;
  const double first = setup.first_time, last = setup.schedule.last();
  require_in_run(setup, "trees.redshifts", parameters.trees.redshifts);
  auto trees = std::make_unique<TreeOutputs>(parameters, parameters.run.directory, first, last, comm);
  if (!setup.is_new()) trees->restore(step, setup.state);
  for (const double a : exact_tree_times(parameters.trees, first, last)) setup.schedule.add_stop(a);
  return trees;
}

/// The expansion factors of these redshifts, at which steps then end; without redshifts those of the outputs.
std::vector<double> map_times(RunSetup& setup, const char* name, const std::vector<double>& redshifts) {
  require_in_run(setup, name, redshifts);
  std::vector<double> times;
  for (const double z : redshifts) {
    times.push_back(1 / (1 + z));
    setup.schedule.add_stop(times.back());
  }
  if (redshifts.empty()) times.assign(setup.schedule.times().begin(), setup.schedule.times().end());
  std::ranges::sort(times);
  return times;
}

void require_periodic(const ParticleSystem& system, const char* what) {
  if (system.boundary == Boundary::periodic && system.frame == Frame::comoving) return;
  throw SharedError(std::string(what) + " are for periodic boxes: these particles are in none");
}

std::unique_ptr<RunningOutput> make_grids(RunSetup& setup, const ParticleSystem& system, const RunRecord& record,
                                          const Communicator& comm) {
  const GridParameters& grids = setup.parameters.grids;
  if (!grids.wanted()) return nullptr;
  require_periodic(system, "[grids]");
  return std::make_unique<GridOutput>(setup.parameters, map_times(setup, "grids.redshifts", grids.redshifts), comm,
                                      next_number(record, GridOutput::stem));
}

std::unique_ptr<RunningOutput> make_planes(RunSetup& setup, const ParticleSystem& system, const RunRecord& record,
                                           const Communicator& comm) {
  const PlaneParameters& planes = setup.parameters.planes;
  if (!planes.wanted()) return nullptr;
  require_periodic(system, "[planes]");
  std::vector<double> times = map_times(setup, "planes.redshifts", planes.redshifts);
  std::erase_if(times, [](double a) { return a > 1 - 1e-6; });  // there a plane would have no distance
  return std::make_unique<PlaneOutput>(setup.parameters, std::move(times), comm,
                                       next_number(record, PlaneOutput::stem));
}

}  // namespace

RunningOutputs make_running_outputs(RunSetup& setup, const ParticleSystem& system, const RunProgress& progress,
                                    const Communicator& comm, const Tell& tell) {
  const RunRecord& record = progress.record;
  RunningOutputs outputs;
  outputs.push_back(make_light_cone(setup, system, comm, tell));
  outputs.push_back(make_grids(setup, system, record, comm));
  outputs.push_back(make_planes(setup, system, record, comm));
  // Trees last: the run waits for their work beside the steps before another output writes.
  outputs.push_back(make_trees(setup, system, progress.step, comm));
  std::erase(outputs, nullptr);
  return outputs;
}

}  // namespace multiwalk
