// SPDX-License-Identifier: GPL-3.0-or-later
// The data of ensemble.html (run/pages/script/ensemble.js draws them).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "run/ensemble/ensemble_results.hpp"
#include "run/ensemble/manifest.hpp"

namespace multiwalk {

/// {version, title, parameter_file, settings, currency, comoving, particles, box_size, pairs, realisations (as in
/// ensemble.json), outputs: [{time, redshift, power, fof, mean200}]}. Power and mass functions have the shape of
/// power_json and halo_mass_functions with means for values and, in each bin, the scatter and its ratio to what is
/// expected; {matrix, pair_matrix}: correlations of at most some 50 bins, only at the outputs that are drawn.
nlohmann::json ensemble_page_data(const EnsembleResults& results, const Manifest& manifest, const std::string& title);

}  // namespace multiwalk
