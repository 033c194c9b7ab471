// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/snapshot_checksum.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstdint>

#include "host/base/hash.hpp"

namespace multiwalk {

namespace {

struct Piece {
  std::uint64_t crc = 0, bytes = 0;
};

}  // namespace

std::string ordered_checksum(const ParticleStore& particles, const Communicator& comm) {
  uLong crc = crc32_z(0, nullptr, 0);
  const auto add = [&](const auto& values) {
    const std::uint64_t bytes = values.size() * sizeof(values[0]);
    const Piece mine{crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(values.data()), bytes), bytes};
    for (const Piece& piece : comm.all_gather(mine))
      crc = crc32_combine(crc, piece.crc, static_cast<z_off_t>(piece.bytes));
  };
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
