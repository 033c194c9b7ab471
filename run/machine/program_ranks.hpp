// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of the program. Only commands that work on several ranks start MPI; `multiwalk params` needs none.
#pragma once

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// All ranks of the job; the first call starts MPI. Without a launcher: one rank.
/// Throws InputError if the launcher belongs to another MPI, so that its processes know nothing of each other.
const Communicator& world_of_program();

/// Ends MPI if it was started. Every rank calls it last of all.
void end_ranks();
/// Ends all ranks at once with this exit code if MPI was started with several; otherwise returns.
void abort_ranks(int exit_code);

/// Whether the job has several ranks, and which one this is. Before MPI is started, these follow from the launcher's
/// environment variables (one rank without a launcher).
bool several_ranks();
int program_rank();

}  // namespace multiwalk
