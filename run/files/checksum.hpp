// SPDX-License-Identifier: GPL-3.0-or-later
// CRC-32 of files and of what a run stores for itself.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "run/files/plain_file.hpp"

namespace multiwalk {

/// The checksum of `bytes` that follow others with the checksum `before`.
inline std::uint32_t checksum_of(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  if (bytes.empty()) return before;  // zlib begins anew where there is no address
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// The checksum of two pieces of bytes in a row, from the checksum of each.
inline std::uint32_t joined_checksum(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return static_cast<std::uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(second_bytes)));
}

/// The checksum of a file's first `bytes`. Throws InputError if it has fewer.
inline std::uint32_t checksum_of(const PlainFile& file, std::uint64_t bytes) {
  std::vector<std::byte> piece(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 20));
  std::uint32_t checksum = 0;
  for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
    const auto some = std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes - at));
    file.read(at, some.data(), some.size());
    checksum = checksum_of(some, checksum);
  }
  return checksum;
}

/// The checksum of a whole file.
inline std::uint32_t checksum_of_file(const std::string& path) {
  const PlainFile file(path);
  return checksum_of(file, file.size());
}

}  // namespace multiwalk
