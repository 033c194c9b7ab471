// SPDX-License-Identifier: GPL-3.0-or-later
// One group at one output: which of its tracks is the central, and what is bound to each.
#pragma once

#include <span>
#include <vector>

#include "analysis/subhalos/member.hpp"
#include "analysis/subhalos/track.hpp"
#include "analysis/subhalos/unbinding.hpp"

namespace multiwalk {

struct GroupTracks {
  std::vector<Track> tracks;      ///< that go on; the id of a new one is none
  std::vector<Subhalo> subhalos;  ///< by rank: the central, then by falling mass
  std::vector<TrackEnd> ends;
};

/// The tracks of a group after the manner of HBT+ (Han et al. 2018). Of the tracks whose parent is not in the group,
/// and which had at least 0.8 times the most bound particles of any, the central is the one whose core moves slowest in
/// the group's frame; the others become its satellites, and these keep their own. Each satellite is unbound from the
/// particles that it remembers, the deepest first; what it lost is offered to its parent, and the central may have all
/// that nobody else has. Satellites with too few bound particles end, as do those within phase_space_distance 2 of
/// their parent. A central with too few is missing until it has enough again. Without a central, one begins.
/// `members`: by rising id; `tracks`: of this group, in any order.
GroupTracks follow_group(std::span<const Member> members, std::vector<Track> tracks, const UnbindingOptions& options);

}  // namespace multiwalk
