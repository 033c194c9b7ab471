// SPDX-License-Identifier: GPL-3.0-or-later
// Follows subhalos from output to output, over all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/halos/group_members.hpp"
#include "analysis/subhalos/track.hpp"
#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// The state of the tracker between outputs: the tracks of this rank (in any order; any rank may hold any track), and
/// numbers that are the same on all ranks.
struct TrackMemory {
  std::vector<Track> tracks;
  std::int64_t next_track = 0;
  std::int32_t outputs = 0;  ///< number made so far
};

struct TrackingOptions {
  double linking = 0.2;              ///< linking length / mean interparticle spacing
  std::uint64_t min_particles = 20;  ///< in groups, and bound particles in subhalos
  double softening = 0;              ///< comoving Mpc/h
};

/// The groups, subhalos and track ends of one output. Each rank has a share of them, in any order.
struct SubhaloShare {
  std::vector<SubhaloGroup> groups;
  std::vector<Subhalo> subhalos;
  std::vector<TrackEnd> ends;
};

/// Finds the groups and follows the tracks (group_tracks.hpp). A track is assigned to the group that contains most of
/// its 20 most bound particles; a track without a group is kept for up to 4 outputs. Every particle must lie in the
/// domain of its rank. Apart from the order, the result does not depend on the number of ranks and threads. The members
/// of a group are gathered on one rank, which needs 64 bytes for each, so the largest group must fit there. Collective.
/// Throws what require_halos throws.
SubhaloShare follow_subhalos(TrackMemory& memory, const ParticleSystem& system, const DomainMap& domains,
                             const CosmologyParameters& cosmology, const TrackingOptions& options,
                             const Communicator& comm = {});

}  // namespace multiwalk
