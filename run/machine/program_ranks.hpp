// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of the program. Only commands that work on several ranks start MPI, and only if a launcher may have started
// this process; before that, nothing is known about other processes.
#pragma once

#include <string>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// All ranks of the job; the first call starts MPI if there is a sign of a launcher. One rank without MPI if there is
/// none, or if MPI knows of this process alone, or if the processes of the job have different command lines or folders:
/// then they are tasks of a farm, and each works by itself.
const Communicator& world_of_program();

/// Ends MPI if it was started. Every rank calls it last of all.
void end_ranks();
/// Ends all ranks at once with this exit code if MPI was started with several; otherwise returns.
void abort_ranks(int exit_code);

/// Whether the job has several ranks (or may have, while MPI has not started).
bool several_ranks();
/// 0 unless MPI was started.
int program_rank();

/// Advice for the user if MPI ends the process while it starts, after a message of its own; empty at other times.
std::string advice_on_mpi();
/// Why another process may use the same directory or file: it is a copy of this one. Empty if there are no copies.
std::string advice_on_copies();

}  // namespace multiwalk
