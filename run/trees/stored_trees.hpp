// SPDX-License-Identifier: GPL-3.0-or-later
// Subhalos and merger trees from stored snapshots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "run/snapshots/unsaid.hpp"

namespace multiwalk {

struct StoredTrees {
  std::vector<std::string> snapshots;  ///< of one run, in any order
  std::string directory;               ///< for the files of TreeOutputs; created if it does not exist
  std::uint32_t min_particles = 20;
  Unsaid unsaid;
};

/// Writes the files that a run would have written with tree outputs at the times of the snapshots, except that the
/// softening of files that state none is 1/25 of the mean spacing. One snapshot is in memory at a time. Returns the
/// number of tracks. Collective. Throws SharedError.
std::int64_t follow_snapshots(const StoredTrees& stored, const Communicator& comm);

}  // namespace multiwalk
