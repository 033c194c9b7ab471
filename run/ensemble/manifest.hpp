// SPDX-License-Identifier: GPL-3.0-or-later
// ensemble.json: the realisations of an ensemble, with state, wall time, energy and cost of each. It repeats what the
// directories of the realisations say, so that it can always be made again; only realisations that were asked for and
// have not begun are known from it alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/ensemble/realisation_state.hpp"

namespace multiwalk {

struct Manifest {
  std::string version;         ///< of the program
  std::string parameter_file;  ///< as it was named
  std::vector<std::string> settings;
  std::string currency = "USD";
  std::vector<RealisationState> realisations;  ///< by seed, each before its partner

  [[nodiscard]] std::size_t count(Progression progression) const;
  /// "seed_0003, seed_0007 and 2 more" of those in this state.
  [[nodiscard]] std::string names(Progression progression) const;
};

/// {version, parameter_file, settings, currency, realisations: [{seed, paired, directory, state, wall_seconds, joules,
/// cost, error}]}; what is not known is null.
nlohmann::json manifest_json(const Manifest& manifest);

/// The manifest in the directory of an ensemble; an empty one, after a warning, if it is damaged.
Manifest read_manifest(const std::string& directory);

/// Looks at the directories of all realisations: those of `asked`, of the manifest there, and others in the directory.
/// `asked` also brings the file, settings and currency, unless its file is empty.
Manifest looked_up_manifest(const std::string& directory, const Manifest& asked);

/// Updates the state of one realisation in the manifest there, without reading the directories of the others. Returns
/// it.
Manifest update_manifest(const std::string& directory, const RealisationState& state);

void write_manifest(const std::string& directory, const Manifest& manifest);

}  // namespace multiwalk
