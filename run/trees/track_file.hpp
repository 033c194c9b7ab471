// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the state of the subhalo tracker, beside the checkpoint of the same step.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/subhalos/subhalo_tracker.hpp"
#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// directory/tracks_STEP.hdf5
std::string track_file(const std::string& directory, std::uint64_t step);

/// `time`: of the last output. Replaces the file when everything is written; rank 0 writes the ids of the other ranks,
/// 2^20 at a time.
/// Collective. Throws SharedError.
void write_track_file(const std::string& path, const TrackMemory& memory, double time, const Communicator& comm = {});

/// Each rank gets a share of the tracks. Collective. Throws SharedError if the file is missing or damaged.
TrackMemory read_track_file(const std::string& path, double& time, const Communicator& comm = {});

/// Removes the track files in a directory whose checkpoints no longer exist; rank 0 removes them. Collective.
void remove_old_track_files(const std::string& directory, const Communicator& comm = {});

}  // namespace multiwalk
