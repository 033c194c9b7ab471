// SPDX-License-Identifier: GPL-3.0-or-later
// Particles move to the ranks that own their place.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// Order-independent fingerprint of a set of ids over all ranks.
struct IdSum {
  std::uint64_t count = 0, sum = 0, mixed = 0;
  bool operator==(const IdSum&) const = default;
};
/// Collective.
IdSum sum_ids(const Communicator& comm, const ParticleStore& particles);

/// Every rank's share of all ranks' ids, told by the ids alone, rising: equal before and after if and only if no id
/// was lost or doubled. Collective.
std::vector<std::uint64_t> ids_by_hash(const Communicator& comm, const ParticleStore& particles);

inline constexpr std::uint64_t most_particles_of_a_rank = 0xffffffffU;

/// Every particle ends on the rank domains.rank_of(its position) with all its arrays. Those that stay keep their
/// places; those that come, by rank, take the places of those that leave, and then the places behind; if fewer come,
/// the last that stay move into the places left. Returns how many left this rank. Memory beyond the particles: what
/// leaves and what comes. If a rank's store has rungs, all get them. Collective. Throws SharedError if a position is
/// not finite or a rank would own more than `most`; Error if an id was lost or doubled: by fingerprint of what travels,
/// in debug builds also all ids one by one.
std::uint64_t migrate(const Communicator& comm, const DomainMap& domains, ParticleStore& particles,
                      std::uint64_t most = most_particles_of_a_rank);

}  // namespace multiwalk
