// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters that all realisations of an ensemble share, kept as parameters.toml in its directory.
#pragma once

#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "run/ensemble/realisation.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Reads the parameter file with the settings; throws SharedError, also if a setting or the file chooses what the
/// ensemble chooses (model.seed, ic.paired, run.directory) or if the runs do not depend on the seed, or have no
/// partners although `with_partners`. Collective.
Parameters read_ensemble_parameters(const std::string& file, const std::vector<std::string>& settings,
                                    bool with_partners, const Communicator& comm);

/// Keeps the parameters in the directory, or compares them with those that it has. Throws InputError that names what
/// differs; the realisation and the section [run] may.
void keep_parameters(const std::string& directory, const Parameters& parameters);

/// The parameters of the ensemble in the directory; throws InputError if it has none.
Parameters kept_parameters(const std::string& directory);

/// `settings`, and those that make a run this realisation; `directory`: of the ensemble, empty: leave out
/// run.directory, which a restart does not take.
std::vector<std::string> realisation_settings(const std::vector<std::string>& settings, const Realisation& realisation,
                                              const std::string& title, const std::string& directory);

}  // namespace multiwalk
