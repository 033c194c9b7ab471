// SPDX-License-Identifier: GPL-3.0-or-later
// What the bound particles of a subhalo have in common.
#pragma once

#include <span>

#include "analysis/subhalos/track.hpp"
#include "analysis/subhalos/unbinding.hpp"

namespace multiwalk {

/// Fills all but track, parent, group and ranks; places are about the group's origin. The circular velocity
/// sqrt(G M(<r) / (a r)) is that of bound particles about the most bound; its peak is sought from the tenth on.
Subhalo describe_subhalo(std::span<const Member> members, const BoundSet& set, const UnbindingOptions& options);

/// The distance in phase space of `set` from `other`, in units of the dispersions of the 20 most bound particles of
/// `other`: |x| / sigma_x + |v| / sigma_v (Han et al. 2018, eq. 5). Both have bound particles.
double phase_space_distance(std::span<const Member> members, const BoundSet& set, const BoundSet& other);

}  // namespace multiwalk
