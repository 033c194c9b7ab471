// SPDX-License-Identifier: GPL-3.0-or-later
// `multiwalk run`: from a parameter file or a checkpoint to a finished run with its report.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "run/commands/commands.hpp"
#include "run/setup/run_request.hpp"

namespace multiwalk {

/// Throws SharedError before anything is written if the request cannot be carried out. Collective.
ExitCode run_simulation(const RunRequest& request, const Communicator& comm = {});

}  // namespace multiwalk
