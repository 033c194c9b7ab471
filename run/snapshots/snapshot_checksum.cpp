// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/snapshot_checksum.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "host/base/hash.hpp"
#include "run/files/checksum.hpp"

namespace multiwalk {

namespace {

struct Piece {
  std::uint64_t crc = 0, bytes = 0;
};

}  // namespace

std::uint32_t joined_checksum_of(std::span<const std::byte> bytes, std::uint32_t before, const Communicator& comm) {
  std::uint32_t crc = before;
  for (const Piece& piece : comm.all_gather(Piece{checksum_of(bytes), bytes.size()}))
    crc = joined_checksum(crc, static_cast<std::uint32_t>(piece.crc), piece.bytes);
  return crc;
}

std::string ordered_checksum(const ParticleStore& particles, const Communicator& comm) {
  std::uint32_t crc = 0;
  const auto add = [&](const auto& values) { crc = joined_checksum_of(std::as_bytes(std::span(values)), crc, comm); };
  add(particles.position);
  add(particles.velocity);
  add(particles.id);
  return fmt::format("{:08x}", crc);
}

std::string set_checksum(const ParticleStore& particles, const Communicator& comm) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    std::uint64_t hash = mix_bits(particles.id[i]);
    for (int axis = 0; axis < 3; ++axis) {
      hash = mix_bits(hash ^ std::bit_cast<std::uint64_t>(particles.position[i][axis]));
      hash = mix_bits(hash ^ std::bit_cast<std::uint32_t>(particles.velocity[i][axis]));
    }
    sum += hash;
  }
  return fmt::format("{:016x}", comm.sum(sum));
}

}  // namespace multiwalk
