// SPDX-License-Identifier: GPL-3.0-or-later
// Subhalos followed from output to output, over ranks.
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

/// What the tracker remembers: this rank's tracks, in any order and on any ranks, and what all ranks agree on.
struct TrackMemory {
  std::vector<Track> tracks;
  std::int64_t next_track = 0;
  std::int32_t outputs = 0;  ///< made so far
};

struct TrackingOptions {
  double linking = 0.2;              ///< linking length / mean interparticle spacing
  std::uint64_t min_particles = 20;  ///< of groups, and bound ones of subhalos
  double softening = 0;              ///< comoving Mpc/h
};

/// One output's groups, subhalos and ends of tracks: each rank has a share, in any order.
struct SubhaloShare {
  std::vector<SubhaloGroup> groups;
  std::vector<Subhalo> subhalos;
  std::vector<TrackEnd> ends;
};

/// Finds the groups and follows the tracks (group_tracks.hpp). A track belongs to the group that has most of its 20
/// most bound particles; one without a group is kept for up to 4 outputs. Every particle lies in its rank's domain.
/// The same for any number of ranks and threads, but for the order. A group's members meet on one rank: memory is 64
/// bytes for each, and the largest group must fit. Collective. Throws what require_halos throws.
SubhaloShare follow_subhalos(TrackMemory& memory, const ParticleSystem& system, const DomainMap& domains,
                             const CosmologyParameters& cosmology, const TrackingOptions& options,
                             const Communicator& comm = {});

}  // namespace multiwalk
