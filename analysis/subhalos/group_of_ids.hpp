// SPDX-License-Identifier: GPL-3.0-or-later
// A directory over ranks: the group of a particle by its id.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/halos/group_members.hpp"
#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// An answer for particles of no group: no particle has this id.
inline constexpr std::uint64_t no_group_name = UINT64_MAX;

/// (asked.size()) The groups, by the smallest id in each, that these particles of any rank belong to. Memory: 16 bytes
/// for each member of this rank and for each that meets here. Collective.
std::vector<std::uint64_t> groups_of_ids(const GroupMembers& members, std::span<const std::uint64_t> id,
                                         std::span<const std::uint64_t> asked, const Communicator& comm);

}  // namespace multiwalk
