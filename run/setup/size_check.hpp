// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run fits into the memory of hosts and devices and onto the disk, asked before it writes anything.
#pragma once

#include <cstdint>
#include <string>

#include "run/setup/run_setup.hpp"

namespace multiwalk {

struct AskedSize {
  std::uint64_t bodies = 0;  ///< of all ranks
  bool overwrite = false;    ///< the files in its directory will be removed
  double program = 0;        ///< bytes that this process took before it had particles
};

/// Throws SharedError if the run clearly does not fit; returns a warning if it fits only just. Collective.
std::string judge_size(const RunSetup& setup, const AskedSize& asked, const Communicator& comm);

}  // namespace multiwalk
