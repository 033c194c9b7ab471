// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/power_output.hpp"

#include <algorithm>
#include <optional>

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

std::optional<PowerSpectrum> measure_on_device(const OutputMoment& moment, const PowerOptions& options) {
  if (!moment.particles.on_device() || !moment.comm.alone()) return std::nullopt;
  return power_of_shells(moment.particles.size(), moment.particles.facts().box_size, options,
                         [&](const ShellOptions& shells) { return moment.particles.sum_shells(shells); });
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
  const std::optional<PowerSpectrum> kept = measure_on_device(moment, options);
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
