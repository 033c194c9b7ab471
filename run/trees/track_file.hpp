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
/// 2^20 at a time. Returns the checksum of what the file states, for the checkpoint.
/// Collective. Throws SharedError.
std::uint32_t write_track_file(const std::string& path, const TrackMemory& memory, double time,
                               const Communicator& comm = {});

/// What a file of tracks holds; of the tracks, this rank's share.
struct StoredTracks {
  TrackMemory memory;
  double time = 0;             ///< of the last output
  std::uint32_t checksum = 0;  ///< the same on every rank
};

/// Collective. Throws SharedError if the file is missing or damaged.
StoredTracks read_track_file(const std::string& path, const Communicator& comm = {});

/// Removes the track files in a directory whose checkpoints no longer exist; rank 0 removes them. Collective.
void remove_old_track_files(const std::string& directory, const Communicator& comm = {});

}  // namespace multiwalk
