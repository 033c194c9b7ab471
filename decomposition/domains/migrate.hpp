// SPDX-License-Identifier: GPL-3.0-or-later
// Moves particles to the ranks that own their positions.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// Order-independent fingerprint of a set of ids.
struct IdSum {
  std::uint64_t count = 0, sum = 0, mixed = 0;
  bool operator==(const IdSum&) const = default;
};

/// Every rank's share of all ranks' ids, which depends on the ids alone, rising: it is the same before and after if and
/// only if no id was lost or duplicated. Collective.
std::vector<std::uint64_t> ids_by_hash(const Communicator& comm, const ParticleStore& particles);

/// True in debug builds, where exchanges compare ids_by_hash before and after.
bool checks_each_id();

inline constexpr std::uint64_t most_particles_of_a_rank = 0xffffffffU;

/// Refuses a particle whose position is not finite.
[[noreturn]] void refuse_position(std::uint64_t id, Vec3d position);

/// Moves every particle with all its arrays to the rank domains.rank_of(its position). Particles that stay keep their
/// places. Arrivals, in order of rank, take the places of those that leave and then new places at the end; if there are
/// fewer arrivals, the last particles that stay fill the gaps. Returns how many left this rank. Besides the store it
/// needs memory for the particles that leave and arrive. If one rank's store has rungs, all get them. Collective.
/// Throws SharedError if a position is not finite or a rank would own more than `most`; Error if an id was lost or
/// duplicated, judged by fingerprints of what travels and in debug builds also id by id.
std::uint64_t migrate(const Communicator& comm, const DomainMap& domains, ParticleStore& particles,
                      std::uint64_t most = most_particles_of_a_rank);

}  // namespace multiwalk
