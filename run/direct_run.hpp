// SPDX-License-Identifier: GPL-3.0-or-later
// A run by direct summation: bodies under a direct integrator from their first forces to the report, with what every
// run has: outputs, checkpoints, limits, diagnostics.
#pragma once

#include "decomposition/communicator.hpp"
#include "run/commands.hpp"
#include "run/progress.hpp"
#include "run/run_beginning.hpp"

namespace multiwalk {

/// `beginning`: with bodies and back end; `began`: wall_time when the program was started. The bodies of a rank stay
/// there; sources go round the ring of ranks (decomposition/ring_forces.hpp). Collective.
ExitCode run_direct(Beginning beginning, const Communicator& comm, Progress& progress, double began);

}  // namespace multiwalk
