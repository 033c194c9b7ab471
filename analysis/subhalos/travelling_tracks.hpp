// SPDX-License-Identifier: GPL-3.0-or-later
// Tracks with their groups, sent to the ranks where the groups' members meet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/subhalos/track.hpp"
#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

struct PlacedTrack {
  std::uint64_t group = 0;
  Track track;
};

/// Each track to the rank of its group (send_by_key.hpp). Collective.
std::vector<PlacedTrack> send_tracks(std::vector<PlacedTrack> tracks, const Communicator& comm);

}  // namespace multiwalk
