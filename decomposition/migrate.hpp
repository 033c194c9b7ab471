// Particles move to the ranks that own their place.
#pragma once

#include <cstdint>

#include "decomposition/communicator.hpp"
#include "decomposition/multisection.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// Order-independent fingerprint of a set of ids over all ranks.
struct IdSum {
  std::uint64_t count = 0, sum = 0, mixed = 0;
  bool operator==(const IdSum&) const = default;
};
/// Collective.
IdSum sum_ids(const Communicator& comm, const ParticleStore& particles);

/// Every particle ends on the rank domains.rank_of(its position) with all its arrays; particles that stay keep their
/// order, those that come follow by rank. Returns how many left this rank. Collective. Throws Error if an id was lost
/// or doubled: by fingerprint, in debug builds also one by one; InputError if a rank would own 2^32 or more.
std::uint64_t migrate(const Communicator& comm, const DomainMap& domains, ParticleStore& particles);

}  // namespace multiwalk
