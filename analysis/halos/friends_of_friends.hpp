// SPDX-License-Identifier: GPL-3.0-or-later
// Friends of friends over ranks (Davis et al. 1985): each rank links its own points and a skin of its neighbours'
// points; the labels of groups cut by a face are passed from rank to rank until none changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/large_memory.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Friends are at most `linking_length` apart, in the units of the positions.
struct FriendsOptions {
  double linking_length = 0;
  double period = 0;  ///< positions are in [0, period); 0: vacuum
};

/// The groups of this rank's particles. A group that ranks share may have several pieces on each, connected only
/// through particles of other ranks.
struct FriendGroups {
  LargeArray<std::uint32_t> piece;  ///< (N) the lowest index of a particle in the same piece
  LargeArray<std::uint64_t> name;   ///< (N) at that index: the smallest id in the group on any rank
  std::vector<std::uint32_t> cut;   ///< pieces of groups that other ranks may share, ascending

  [[nodiscard]] std::size_t size() const { return piece.size(); }
  /// The smallest id in the particle's group, which is its own if it has no friends.
  [[nodiscard]] std::uint64_t group(std::size_t particle) const { return name[piece[particle]]; }
};

/// Every particle must be in this rank's domain (migrate). The result is the same for any number of ranks and threads.
/// Memory: at most 60 bytes per particle of this rank and, on several ranks, per particle within a linking length of
/// the domain, and then 24 bytes more for each. Collective. Throws SharedError for a linking length that is not
/// positive or too short for the extent.
FriendGroups friends_of_friends(std::span<const Vec3d> position, std::span<const std::uint64_t> id,
                                const DomainMap& domains, const FriendsOptions& options, const Communicator& comm = {});

}  // namespace multiwalk
