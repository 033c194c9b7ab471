// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/measured_system.hpp"

#include "decomposition/ranks/agree.hpp"
#include "run/outputs/power_output.hpp"
#include "run/outputs/power_report.hpp"

namespace multiwalk {

nlohmann::json measure_power_of(const MeasuredSystem& measured, PowerOptions options) {
  const ParticleSystem& system = measured.system;
  if (system.boundary != Boundary::periodic) {
    throw SharedError("power_spectrum: the system is not periodic; only boxes have a power spectrum");
  }
  const std::uint64_t particles = measured.comm.sum(static_cast<std::uint64_t>(system.particles.size()));
  if (options.mesh == 0) options.mesh = output_power_options(particles, measured.force_mesh).mesh;
  const PowerSpectrum spectrum =
      measure_power({system.particles.position, system.particles.mass, system.box_size}, options, measured.comm);
  return collectively(measured.comm, [&] {
    return power_json({"", system, measured.cosmology, measured.transfer_file}, options, spectrum);
  });
}

std::vector<Halo> find_halos_of(const MeasuredSystem& measured, const HaloOptions& options) {
  const Communicator& comm = measured.comm;
  const HaloCatalogue found = find_halos(measured.system, measured.domains, measured.cosmology, options, comm);
  std::vector<Halo> all = comm.gather(std::span<const Halo>(found.halos));
  all.resize(comm.max(static_cast<std::uint64_t>(all.size())));
  comm.broadcast(std::span<Halo>(all));
  return all;
}

}  // namespace multiwalk
