// SPDX-License-Identifier: GPL-3.0-or-later
// One group at one output: finds which of its tracks is the central, and which particles are bound to each track.
#pragma once

#include <span>
#include <vector>

#include "analysis/subhalos/member.hpp"
#include "analysis/subhalos/track.hpp"
#include "analysis/subhalos/unbinding.hpp"

namespace multiwalk {

struct GroupTracks {
  std::vector<Track> tracks;      ///< that continue; a new track has the id none
  std::vector<Subhalo> subhalos;  ///< by rank: the central, then by decreasing mass
  std::vector<TrackEnd> ends;
};

/// Updates the tracks of a group with the method of HBT+ (Han et al. 2018). Candidates for the central are the tracks
/// whose parent is not in the group and which had at least 0.8 times as many bound particles as the largest such track.
/// The central is the candidate whose bound particles move slowest relative to the group; without a candidate, a new
/// track begins. The other tracks without a parent in the group become satellites of the central, and satellites keep
/// their own satellites. Each satellite is unbound, starting from the particles stored with it; the deepest levels come
/// first. Particles that it loses are offered to its parent, and the central may take all particles that no other
/// track keeps. Satellites end if they have too few bound particles or are within phase_space_distance 2 of their
/// parent. A central with too few bound particles counts as missing until it has enough again.
/// `members`: by increasing id; `tracks`: of this group, in any order.
GroupTracks follow_group(std::span<const Member> members, std::vector<Track> tracks, const UnbindingOptions& options);

}  // namespace multiwalk
