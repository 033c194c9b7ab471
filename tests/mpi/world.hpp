// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks that the test program was launched with.
#pragma once

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// All of them. Every test runs on every rank; a failed ASSERT or an exception on one rank ends the job.
const Communicator& world();

/// Bytes of the largest piece of a message (decomposition/ranks/communicator.cpp).
extern std::size_t largest_message;

}  // namespace multiwalk
