// SPDX-License-Identifier: GPL-3.0-or-later
// Looks up the group of a particle by its id, over all ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/halos/group_members.hpp"
#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// The answer for particles without a group: no particle has this id.
inline constexpr std::uint64_t no_group_name = UINT64_MAX;

/// (asked.size()) The groups to which the particles `asked`, of any rank, belong; a group is identified by the smallest
/// id in it. Memory: up to 64 bytes for each element of `asked`; with several ranks also 16 bytes for each member on
/// this rank and for each member that is gathered here. Collective.
std::vector<std::uint64_t> groups_of_ids(const GroupMembers& members, std::span<const std::uint64_t> id,
                                         std::span<const std::uint64_t> asked, const Communicator& comm);

}  // namespace multiwalk
