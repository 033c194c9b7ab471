// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/snapshot_output.hpp"

#include <utility>

#include "analysis/halos/group_order.hpp"
#include "host/base/units.hpp"
#include "run/machine/version.hpp"
#include "run/parameters/parameter_table.hpp"

namespace multiwalk {

namespace {

/// A copy whose particles are in the order of the halos.
ParticleSystem ordered_system(const ParticleSystem& system, const HaloCatalogue& halos, const Communicator& comm) {
  return {system, particles_by_group(halos, system.particles, comm)};
}

}  // namespace

SnapshotOptions snapshot_options(Parameters parameters, double softening) {
  SnapshotOptions options;
  options.files = parameters.output.files_per_snapshot;
  options.softening = softening;
  options.softening_max_physical = parameters.softening.softening_max_physical * units::kpc;
  options.power = parameters.power;
  for (const ParameterKey& key : parameter_keys(parameters)) {
    if (key.outside_power) continue;
    if (auto value = parameter_data(key)) options.parameters[std::string(key.name)] = std::move(*value);
  }
  options.run["seed"] = static_cast<std::int64_t>(parameters.model.seed);
  options.code = {{"name", std::string("Multiwalk")}, {"version", version_short()}};
  return options;
}

bool SnapshotOutput::needs_halos(const Parameters& parameters) const {
  return parameters.output.snapshots && parameters.output.halos;
}

nlohmann::json SnapshotOutput::write(const OutputMoment& moment) {
  const Parameters& parameters = moment.parameters;
  if (!parameters.output.snapshots) return nlohmann::json::array();
  SnapshotOptions options = snapshot_options(parameters, moment.softening);
  options.run.insert(moment.run.begin(), moment.run.end());
  options.accelerations = parameters.output.accelerations;
  options.background = moment.background;
  const auto write = [&](const ParticleSystem& system) {
    return write_snapshot(moment.path("snapshot"), system, parameters.cosmology, options, moment.comm);
  };
  const ParticleSystem& system = moment.particles.on_host();
  return needs_halos(parameters) ? write(ordered_system(system, *moment.halos, moment.comm)) : write(system);
}

}  // namespace multiwalk
