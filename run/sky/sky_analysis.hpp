// SPDX-License-Identifier: GPL-3.0-or-later
// Lensing convergence and angular power spectra from the shells in a run directory, compared with Limber predictions.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace multiwalk {

struct SkyAnalysisOptions {
  std::string directory;        ///< of the run
  double source_redshift = -1;  ///< of the source plane; negative: the far border of the shells
  std::uint32_t lmax = 0;       ///< 0: 2 nside
};

/// Writes sky_kappa.fits (nested, double precision), sky_kappa.png (Mollweide), sky_spectra.csv, sky_spectra.json and
/// the page sky.html into the directory, and returns the content of sky_spectra.json. Throws InputError if the
/// directory has no shells, or shells of different resolutions.
nlohmann::json analyse_sky(const SkyAnalysisOptions& options);

}  // namespace multiwalk
