// SPDX-License-Identifier: GPL-3.0-or-later
// `multiwalk run`: from a parameter file or a checkpoint to a finished, reported run.
#pragma once

#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "run/commands.hpp"

namespace multiwalk {

struct RunRequest {
  std::string parameter_file;         ///< may be empty with `restart`
  std::vector<std::string> settings;  ///< "section.key=value"
  std::string restart;                ///< run directory to go on in; empty: a new run
  bool overwrite = false;
  bool quiet = false;  ///< no progress bar
};

/// Throws SharedError before anything is written if the request cannot be carried out. Collective.
ExitCode run_simulation(const RunRequest& request, const Communicator& comm = {});

}  // namespace multiwalk
