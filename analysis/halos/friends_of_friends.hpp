// SPDX-License-Identifier: GPL-3.0-or-later
// Friends of friends over ranks (Davis et al. 1985): each rank links its own points and a skin of its neighbours'
// points; the labels of groups cut by a face are passed from rank to rank until none changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Friends are at most `linking_length` apart, in the units of the positions.
struct FriendsOptions {
  double linking_length = 0;
  double period = 0;  ///< positions are in [0, period); 0: vacuum
};

/// (N) For every particle of this rank the smallest id in its group, which is its own if it has no friends. Every
/// particle must be in this rank's domain (migrate). The same for any number of ranks and threads. Memory: about 70
/// bytes for each own particle and each particle within a linking length of the domain. Collective. Throws SharedError
/// for a linking length that is not positive or too short for the extent.
std::vector<std::uint64_t> friends_of_friends(std::span<const Vec3d> position, std::span<const std::uint64_t> id,
                                              const DomainMap& domains, const FriendsOptions& options,
                                              const Communicator& comm = {});

}  // namespace multiwalk
