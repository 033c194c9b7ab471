// SPDX-License-Identifier: GPL-3.0-or-later
// Checksums of a set of particles, the same however many ranks hold it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// CRC-32 of bytes with the checksum `before` and then those of all ranks, rank by rank. Collective.
std::uint32_t joined_checksum_of(std::span<const std::byte> bytes, std::uint32_t before, const Communicator& comm);

/// CRC-32 (8 hexadecimal digits) of all positions, velocities and ids in the order of ranks and stores: equal for
/// files that agree bit for bit. Collective.
std::string ordered_checksum(const ParticleStore& particles, const Communicator& comm = {});

/// Sum of a 64-bit hash of each particle's id, position and velocity (16 digits): equal for the same particles in any
/// order, and hence for any distribution over ranks. Collective.
std::string set_checksum(const ParticleStore& particles, const Communicator& comm = {});

}  // namespace multiwalk
