// SPDX-License-Identifier: GPL-3.0-or-later
// The members of groups on this rank, piece by piece, and the sums over a group's pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/halos/friends_of_friends.hpp"
#include "analysis/halos/halo.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// This rank's part of the groups that have at least a given number of members over all ranks.
struct GroupMembers {
  std::vector<std::uint64_t> group;  ///< (pieces) rising ids of the groups
  std::vector<std::size_t> first;    ///< (pieces + 1) into member
  LargeArray<std::uint32_t> member;  ///< indices of particles, ascending in each piece

  [[nodiscard]] std::size_t size() const { return group.size(); }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t piece) const {
    return std::span(member).subspan(first[piece], first[piece + 1] - first[piece]);
  }
};

/// Collective.
GroupMembers select_groups(const FriendGroups& groups, std::uint64_t min_particles, const Communicator& comm);

/// The potential of a particle of this rank.
using PotentialOf = std::function<float(std::uint32_t particle)>;

/// A group's properties, known to each of its pieces.
struct PieceOfHalo {
  Halo halo;          ///< of the whole group, spherical overdensities left out
  bool here = false;  ///< this rank holds the particle that names the group
};

/// (pieces) Sums are exact, and therefore the same to the last bit for any number of ranks. The centre is that of the
/// last of a series of shrinking spheres (Power et al. 2003): each is a fifth smaller than the previous one and centred
/// on the centre of mass of its members, until the next would contain fewer than 1 % of the members, but no fewer than
/// 10 and no more than 1000. With a `potential`, given by all ranks or none, the centre is the member of that sphere
/// with the lowest potential (of equal ones, that with the lowest id). Groups larger than half a period have no
/// well-defined centre of mass. Collective.
std::vector<PieceOfHalo> describe_groups(const GroupMembers& members, const ParticleSystem& system,
                                         const PotentialOf& potential, const Communicator& comm);

}  // namespace multiwalk
