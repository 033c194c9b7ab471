// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of the program. Only commands that work on several begin MPI; `multiwalk params` needs none.
#pragma once

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// All ranks of the job; the first call begins MPI. Without a launcher: one rank.
/// Throws InputError if the launcher belongs to another MPI, so that its processes know nothing of each other.
const Communicator& world_of_program();

/// Ends MPI if it began. Every rank calls it, as the last thing.
void end_ranks();
/// Ends all ranks at once with this exit code, if MPI began with several; else returns.
void abort_ranks(int exit_code);

/// Whether the job has several ranks, and which this one is. Before MPI begins: as the launcher's environment variables
/// tell (one rank without a launcher).
bool several_ranks();
int program_rank();

}  // namespace multiwalk
