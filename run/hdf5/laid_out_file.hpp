// SPDX-License-Identifier: GPL-3.0-or-later
// HDF5 files whose values are written without the library, since only one thread at a time may use it. The library
// creates the file and allocates all chunks; another thread then writes the bytes of the chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk::hdf5 {

/// The chunks of a checked dataset (Storage::checked), each followed by its checksum.
struct LaidOutChunks {
  std::uint64_t rows = 0, rows_per_chunk = 1;
  std::size_t row_bytes = 0;
  std::vector<std::uint64_t> place;  ///< of each chunk in the file

  /// Without the checksum.
  [[nodiscard]] std::size_t chunk_bytes() const { return static_cast<std::size_t>(rows_per_chunk) * row_bytes; }
};

/// Allocates all chunks of a dataset that has just been created; their values are 0 until they are written.
/// Throws Error.
LaidOutChunks lay_out(const Object& dataset, const RowSource& source, std::uint64_t rows);

/// The bytes of a chunk as they lie in the file: `chunk`, padded with zeros, and its checksum. `out` is overwritten.
void seal_chunk(const LaidOutChunks& chunks, std::span<const std::byte> chunk, std::vector<std::byte>& out);

/// HDF5's checksum of any number of bytes (Fletcher 1982, on 16-bit words).
std::uint32_t fletcher32(std::span<const std::byte> bytes);

/// All of a closed file except its chunks, from which other files of the same form are made.
class FileForm {
 public:
  /// Throws Error.
  FileForm(const std::string& path, std::vector<LaidOutChunks> columns);

  [[nodiscard]] const std::vector<LaidOutChunks>& columns() const { return columns_; }
  /// Makes a file of this form, whose chunks are holes. Attributes that differ can then be changed by the library
  /// (Object::change). Throws Error.
  void make(const std::string& path) const;

 private:
  struct Part {
    std::uint64_t place;
    std::vector<std::byte> bytes;
  };
  std::vector<LaidOutChunks> columns_;
  std::vector<Part> parts_;  ///< all bytes outside chunks
  std::uint64_t bytes_ = 0;
};

}  // namespace multiwalk::hdf5
