// What `multiwalk power` tells of a spectrum: JSON, table, CSV and a page with charts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/power_spectrum.hpp"
#include "run/snapshot.hpp"

namespace multiwalk {

/// {snapshot, particles, redshift, box_size, mesh, assignment, interlacing, folds, shot_noise, shot_noise_subtracted,
/// nyquist, cosmology, bins: [{k, power, sigma, modes, fold, linear}]}; k in h/Mpc, powers in (Mpc/h)^3. `linear` is
/// linear theory (Eisenstein & Hu 1998) at the snapshot's epoch, averaged over the width of the bin; null, as redshift
/// and cosmology, for a system that is not comoving.
nlohmann::json power_json(const std::string& snapshot, const SnapshotInfo& info, const PowerOptions& options,
                          const PowerSpectrum& spectrum);

/// Head and a few rows, for people.
std::string power_text(const nlohmann::json& power);
/// A line of names, then a line for each bin; empty where linear is null.
std::string power_csv(const nlohmann::json& power);
std::string power_page(const nlohmann::json& power);

/// "cic", "tsc", "pcs".
const char* assignment_name(Assignment assignment);
/// Throws SharedError for another name.
Assignment assignment_from(const std::string& name);

}  // namespace multiwalk
