// SPDX-License-Identifier: GPL-3.0-or-later
// A run by direct summation: bodies under a direct integrator from their first forces to the report, with what every
// run has: outputs, checkpoints, limits, diagnostics.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "run/commands/commands.hpp"
#include "run/records/progress.hpp"
#include "run/setup/run_setup.hpp"

namespace multiwalk {

/// `beginning`: with bodies and back end; `began`: wall_time when the program was started. The bodies of a rank stay
/// there; sources go round the ring of ranks (decomposition/ring/ring_forces.hpp). Collective.
ExitCode run_direct(Beginning beginning, const Communicator& comm, Progress& progress, double began);

}  // namespace multiwalk
