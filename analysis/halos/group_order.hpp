// SPDX-License-Identifier: GPL-3.0-or-later
// Particles in the order of their groups, as GADGET-4 keeps them in snapshots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/halos/halo_finder.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// The ids of all halos' members, halo by halo in the order of the catalogue, rising within each halo: each rank has a
/// share, rank 0 the first. The same for any number of ranks. Collective.
std::vector<std::uint64_t> member_ids(const HaloCatalogue& catalogue, std::span<const std::uint64_t> id,
                                      const Communicator& comm = {});

/// Maximum memory of particles_by_group per particle, including the copy.
inline constexpr double group_order_bytes = 236;

/// A copy of the particles, members first in the order of member_ids, then the others by id: position, velocity, mass,
/// id, potential and acceleration (the other arrays are empty). Each rank has a share, rank 0 the first. Collective.
ParticleStore particles_by_group(const HaloCatalogue& catalogue, const ParticleStore& particles,
                                 const Communicator& comm = {});

}  // namespace multiwalk
