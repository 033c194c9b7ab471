// SPDX-License-Identifier: GPL-3.0-or-later
// ensemble.hdf5: all measurements of an ensemble with their means, scatters, covariances and correlations
// (ENSEMBLES.md).
#pragma once

#include <string>

#include "run/ensemble/ensemble_results.hpp"
#include "run/ensemble/manifest.hpp"

namespace multiwalk {

/// Replaces `path` when all is written. `manifest`: wall times, energies and costs of the realisations.
void write_ensemble_file(const std::string& path, const EnsembleResults& results, const Manifest& manifest);

}  // namespace multiwalk
