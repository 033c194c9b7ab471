// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/running_outputs.hpp"

#include <utility>

#include "decomposition/ranks/agree.hpp"
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

std::unique_ptr<RunningOutput> make_trees(RunSetup& setup, const ParticleSystem& system, std::uint64_t step,
                                          const Communicator& comm) {
  const Parameters& parameters = setup.parameters;
  if (!parameters.trees.wanted() || system.frame != Frame::comoving) return nullptr;
  const double first = setup.first_time, last = setup.schedule.last();
  auto trees = std::make_unique<TreeOutputs>(parameters, parameters.run.directory, first, last, comm);
  if (!setup.is_new()) trees->restore(step);
  TreeParameters exact = parameters.trees;
  exact.outputs = 0;
  for (const double a : tree_times(exact, first, last)) setup.schedule.add_stop(a);
  return trees;
}

}  // namespace

RunningOutputs make_running_outputs(RunSetup& setup, const ParticleSystem& system, std::uint64_t step,
                                    const Communicator& comm, const Tell& tell) {
  RunningOutputs outputs;
  outputs.push_back(make_light_cone(setup, system, comm, tell));
  outputs.push_back(make_trees(setup, system, step, comm));
  std::erase(outputs, nullptr);
  return outputs;
}

}  // namespace multiwalk
