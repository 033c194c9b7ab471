// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/output_power.hpp"

#include <algorithm>

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

nlohmann::json write_power(const Simulation& simulation, const Parameters& parameters, const std::string& snapshot,
                           const std::string& path) {
  const Communicator& comm = simulation.communicator();
  const ParticleSystem& system = simulation.host_view();
  const PowerOptions options = output_power_options(simulation.particle_count(),
                                                    simulation.box_forces() ? simulation.box_forces()->mesh.cells : 0);
  const PowerSpectrum spectrum =
      measure_power({system.particles.position, system.particles.mass, system.box_size}, options, comm);
  return together(comm, [&] {
    nlohmann::json power =
        power_json({snapshot, system, parameters.cosmology, parameters.ic.transfer_file}, options, spectrum);
    power["file"] = path;
    if (comm.root()) write_file_atomically(path, power_csv(power));
    return power;
  });
}

}  // namespace multiwalk
