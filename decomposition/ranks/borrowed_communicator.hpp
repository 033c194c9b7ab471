// SPDX-License-Identifier: GPL-3.0-or-later
// Communicators that the caller of this library made, such as those of mpi4py.
#pragma once

#include <string>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// The ranks of the MPI_Comm at `address`, on a separate communicator. `their_mpi`: the version text of the MPI that
/// made it. Throws InputError if that is not the MPI of this library, if it was not started or has ended, or if it
/// does not allow calls from different threads in turn. Collective.
Communicator borrow_communicator(const void* address, const std::string& their_mpi);

}  // namespace multiwalk
