// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of a subhalo, from its bound particles.
#pragma once

#include <span>

#include "analysis/subhalos/track.hpp"
#include "analysis/subhalos/unbinding.hpp"

namespace multiwalk {

/// Sets everything except track, parent, group and ranks; positions are relative to the group's origin. The circular
/// velocity sqrt(G M(<r) / (a r)) is that of the bound particles around the most bound one; its maximum is searched
/// from the tenth particle outwards.
Subhalo describe_subhalo(std::span<const Member> members, const BoundSet& set, const UnbindingOptions& options);

/// The phase-space distance of `set` from `other`, in units of the dispersions of the 20 most bound particles of
/// `other`: |x| / sigma_x + |v| / sigma_v (Han et al. 2018, eq. 5). Both sets must have bound particles.
double phase_space_distance(std::span<const Member> members, const BoundSet& set, const BoundSet& other);

}  // namespace multiwalk
