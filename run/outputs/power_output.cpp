// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/power_output.hpp"

#include <algorithm>
#include <optional>

#include "decomposition/essential_trees/tree_exchange_over_ranks.hpp"
#include "decomposition/ranks/agree.hpp"
#include "run/files/atomic_file.hpp"
#include "run/outputs/power_report.hpp"

namespace multiwalk {

PowerOptions output_power_options(std::uint64_t particles, std::uint32_t force_mesh) {
  constexpr std::uint32_t always_cheap = 256;
  PowerOptions options;
  options.mesh = std::min(default_mesh(particles), std::max(force_mesh, always_cheap));
  options.folds = 2;
  return options;
}

namespace {

/// `particles`: of all ranks.
std::optional<PowerSpectrum> measure_on_devices(const OutputMoment& moment, std::uint64_t particles,
                                                const PowerOptions& options) {
  if (!moment.comm.all(moment.particles.on_device())) return std::nullopt;
  EssentialStatistics messages;
  TreeExchangeOverRanks ranks(moment.comm, messages);
  TreeExchange* const others = moment.comm.alone() ? nullptr : &ranks;
  return power_of_shells(particles, moment.particles.facts().box_size, options,
                         [&](const ShellOptions& shells) { return moment.particles.sum_shells(shells, others); });
}

PowerSpectrum measure_on_host(const OutputMoment& moment, const PowerOptions& options) {
  const ParticleSystem& system = moment.particles.on_host();
  return measure_power({system.particles.position, system.particles.mass, system.box_size}, options, moment.comm);
}

}  // namespace

nlohmann::json PowerOutput::write(const OutputMoment& moment) {
  const Communicator& comm = moment.comm;
  const SystemFacts& system = moment.particles.facts();
  if (!moment.parameters.output.power || system.boundary != Boundary::periodic) return nullptr;
  const std::uint64_t particles = comm.sum(static_cast<std::uint64_t>(moment.particles.size()));
  const PowerOptions options = output_power_options(particles, moment.force_mesh);
  const std::optional<PowerSpectrum> kept = measure_on_devices(moment, particles, options);
  const PowerSpectrum spectrum = kept ? *kept : measure_on_host(moment, options);
  const nlohmann::json& snapshots = moment.entries.at("snapshots");
  const std::string snapshot = snapshots.empty() ? "" : snapshots.front().get<std::string>();
  const std::string path = moment.path("power") + ".csv";
  return collectively(comm, [&] {
    nlohmann::json power = power_json(
        {snapshot, system, moment.parameters.cosmology, moment.parameters.ic.transfer_file}, options, spectrum);
    power["file"] = path;
    power["measured_on"] = kept ? "device" : "host";
    if (comm.root()) write_file_atomically(path, power_csv(power));
    return power;
  });
}

}  // namespace multiwalk
