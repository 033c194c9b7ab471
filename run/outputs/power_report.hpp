// SPDX-License-Identifier: GPL-3.0-or-later
// What `multiwalk power` tells of a spectrum: JSON, table and CSV.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/power/power_spectrum.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// What a spectrum was measured of.
struct PowerSource {
  std::string snapshot;  ///< file that holds it
  const ParticleSystem& system;
  const CosmologyParameters& cosmology;
  std::string transfer_file;  ///< of linear theory; empty: Eisenstein & Hu (1998)
};

/// {snapshot, particles, redshift, box_size, mesh, assignment, interlacing, folds, shot_noise, shot_noise_subtracted,
/// nyquist, cosmology, bins: [{k, power, sigma, modes, fold, linear}]}; k in h/Mpc, powers in (Mpc/h)^3. `linear` is
/// linear theory at the snapshot's epoch, averaged over the width of the bin; null, as redshift and cosmology, for a
/// system that is not comoving.
nlohmann::json power_json(const PowerSource& source, const PowerOptions& options, const PowerSpectrum& spectrum);

/// Head and a few rows, for people.
std::string power_text(const nlohmann::json& power);
/// A line of names, then a line for each bin; empty where linear is null.
std::string power_csv(const nlohmann::json& power);

/// "cic", "tsc", "pcs".
const char* assignment_name(Assignment assignment);
/// Throws SharedError for another name.
Assignment assignment_from(const std::string& name);

}  // namespace multiwalk
