// SPDX-License-Identifier: GPL-3.0-or-later
// A power spectrum as JSON, table and CSV, for `multiwalk power` and the outputs of runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/power/power_spectrum.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// The particles whose spectrum was measured, and their linear theory.
struct PowerSource {
  std::string snapshot;  ///< file that holds it
  const SystemFacts& system;
  const CosmologyParameters& cosmology;
  std::string transfer_file;  ///< of linear theory; empty: Eisenstein & Hu (1998)
};

/// {snapshot, particles, redshift, box_size, mesh, assignment, interlacing, folds, shot_noise, shot_noise_subtracted,
/// nyquist, cosmology, bins: [{k, power, sigma, modes, fold, linear}]}; k in h/Mpc, powers in (Mpc/h)^3. `linear` is
/// linear theory at the snapshot's epoch, averaged over the width of the bin. Linear, redshift and cosmology are null
/// for a system that is not comoving.
nlohmann::json power_json(const PowerSource& source, const PowerOptions& options, const PowerSpectrum& spectrum);

/// A heading and a few rows, for the terminal.
std::string power_text(const nlohmann::json& power);
/// A line of names, then a line for each bin; empty where linear is null.
std::string power_csv(const nlohmann::json& power);

/// "cic", "tsc", "pcs".
const char* assignment_name(Assignment assignment);
/// Throws SharedError for another name.
Assignment assignment_from(const std::string& name);

}  // namespace multiwalk
