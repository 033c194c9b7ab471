// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that each rank may use, and the refusal of work that needs more.
#pragma once

#include <limits>
#include <string>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

struct MemoryRoom {
  double bytes = std::numeric_limits<double>::infinity();      ///< of the rank that has least
  double available = std::numeric_limits<double>::infinity();  ///< now, beside other programs
  std::string whose;                                           ///< "this machine has 15.6 GiB, which 4 ranks share"
};

/// Ranks of a host share its memory, and that of their control group, equally. Collective.
MemoryRoom memory_room(const Communicator& comm);

/// "12.3 GiB", "45.6 MiB".
std::string size_text(double bytes);

/// Throws SharedError if `bytes` on each rank are more than the room: "WHAT needs about ... of memory, but ...". If
/// they are more than what is available, says so on standard error. Collective.
void require_memory(double bytes, const std::string& what, const Communicator& comm);

}  // namespace multiwalk
