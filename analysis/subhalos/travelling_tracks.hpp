// SPDX-License-Identifier: GPL-3.0-or-later
// Sends tracks to the ranks on which the members of their groups are gathered.
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

/// Sends each track to the rank of its group (send_by_key.hpp). Collective.
std::vector<PlacedTrack> send_tracks(std::vector<PlacedTrack> tracks, const Communicator& comm);

}  // namespace multiwalk
