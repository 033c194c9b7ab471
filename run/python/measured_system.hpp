// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements of particles in memory, whoever owns them: a run, initial conditions or a snapshot.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/halos/halo_finder.hpp"
#include "analysis/power/power_spectrum.hpp"
#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Valid while its owner does not change.
struct MeasuredSystem {
  const ParticleSystem& system;  ///< this rank's share
  const CosmologyParameters& cosmology;
  std::string transfer_file;
  DomainMap domains = {};
  std::uint32_t force_mesh = 0;  ///< cells per side; 0: none
  Communicator comm = {};
};

/// The power spectrum in the form of power_json (run/outputs/power_report.hpp). `options` with mesh 0: the mesh of a
/// run's outputs. Throws SharedError for a system that is not periodic. Collective.
nlohmann::json measure_power_of(const MeasuredSystem& measured, PowerOptions options);

/// All halos on every rank, the most massive first. Throws as find_halos does. Collective.
std::vector<Halo> find_halos_of(const MeasuredSystem& measured, const HaloOptions& options);

}  // namespace multiwalk
