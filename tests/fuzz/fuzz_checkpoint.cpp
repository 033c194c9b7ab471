// SPDX-License-Identifier: GPL-3.0-or-later
// A checkpoint: the bytes as they are, and with checksums that are right.
#include <zlib.h>

#include <cstring>
#include <vector>

#include "run/snapshots/checkpoint.hpp"
#include "run/snapshots/checkpoint_format.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace multiwalk;
using namespace multiwalk::checkpoint_format;

namespace {

std::uint32_t crc_of(const std::uint8_t* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, data, bytes));
}

/// Checksums, length and marks as a forger would write them.
std::vector<std::uint8_t> forged(const std::uint8_t* data, std::size_t bytes) {
  std::vector<std::uint8_t> file(data, data + bytes);
  Header header{};
  if (bytes < sizeof header) return file;
  std::memcpy(&header, data, sizeof header);
  header.magic_bytes = magic;
  header.endianness = endianness_mark;
  header.format_version = version;
  header.file_bytes = bytes;
  header.table_crc = 0;
  const std::size_t rows = (bytes - sizeof header) / sizeof(BlockEntry);
  const std::size_t table = std::min<std::size_t>(header.blocks, rows) * sizeof(BlockEntry);
  std::size_t offset = sizeof header + table;
  for (std::size_t at = sizeof header; at < sizeof header + table; at += sizeof(BlockEntry)) {
    BlockEntry entry;
    std::memcpy(&entry, &file[at], sizeof entry);
    entry.bytes = std::min<std::uint64_t>(entry.bytes, bytes - offset);
    entry.crc = crc_of(file.data() + offset, entry.bytes);
    offset += entry.bytes;
    std::memcpy(&file[at], &entry, sizeof entry);
  }
  file.resize(offset);
  header.file_bytes = offset;
  std::memcpy(file.data(), &header, sizeof header);
  header.table_crc = crc_of(file.data(), sizeof header + table);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

void read(const std::uint8_t* data, std::size_t bytes) {
  const fuzz::MemoryFile file(data, bytes);
  fuzz::expect_input_error_at_most([&] { read_checkpoint(file.path()); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  read(data, bytes);
  const std::vector<std::uint8_t> file = forged(data, bytes);
  read(file.data(), file.size());
  return 0;
}
