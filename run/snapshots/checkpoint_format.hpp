// SPDX-License-Identifier: GPL-3.0-or-later
// Layout of a checkpoint file: header, block table, blocks; little or big endian as the machine that wrote it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace multiwalk::checkpoint_format {

inline constexpr std::array<char, 8> magic{'M', 'W', 'A', 'L', 'K', 'C', 'P', '\n'};
inline constexpr std::uint32_t endianness_mark = 0x01020304;
inline constexpr std::uint32_t version = 4;

/// First bytes of the file. `table_crc` covers this header (with table_crc = 0) and the table.
struct Header {
  std::array<char, 8> magic_bytes;
  std::uint32_t endianness;
  std::uint32_t format_version;
  std::uint32_t blocks;
  std::uint32_t table_crc;
  std::uint64_t file_bytes;
};
static_assert(sizeof(Header) == 32);

/// The names of blocks that hold the blobs of CheckpointBlobs begin with this, followed by the blob's.
inline constexpr char blob_mark = ':';

/// One row of the table; blocks follow each other without gaps.
struct BlockEntry {
  std::array<char, 16> name;  ///< zero padded if shorter
  std::uint64_t bytes;
  std::uint32_t element_bytes;
  std::uint32_t crc;  ///< CRC-32 (zlib) of the block
};
static_assert(sizeof(BlockEntry) == 32);

/// The block "system": everything of a ParticleSystem but its arrays.
struct SystemRecord {
  std::uint64_t particles, step;
  std::int32_t frame, boundary;
  double time, box_size, spacing, sphere_radius;
};
static_assert(sizeof(SystemRecord) == 56);

/// The block "parts" of rank 0's file, one record per rank, its own included; absent when one rank wrote alone.
struct PartRecord {
  std::uint64_t particles;
  std::uint32_t
      data_crc;  ///< of the part's block table without the block "parts": distinguishes it from another write's
  std::uint32_t unused;
};
static_assert(sizeof(PartRecord) == 16);

}  // namespace multiwalk::checkpoint_format
