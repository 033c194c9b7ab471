// SPDX-License-Identifier: GPL-3.0-or-later
// One checkpoint file: named blocks, each with its CRC-32.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "run/files/partial_file.hpp"
#include "run/files/plain_file.hpp"
#include "run/snapshots/checkpoint_format.hpp"

namespace multiwalk {

/// Blocks to be written into a file; the data must exist until then.
class CheckpointWriter {
 public:
  /// `name`: at most 16 characters.
  void add(std::string_view name, const void* data, std::size_t bytes, std::size_t element_bytes);
  /// CRC-32 of the blocks' names, lengths and CRCs so far.
  [[nodiscard]] std::uint32_t data_crc() const;
  /// Writes `file`'s partial file and forces it to disk. Throws Error.
  void write(const PartialFile& file) const;

 private:
  std::vector<checkpoint_format::BlockEntry> table_;
  std::vector<const void*> data_;
};

/// Throws InputError that names the file if anything is not as it was written.
class CheckpointReader {
 public:
  explicit CheckpointReader(std::string path);

  [[nodiscard]] bool has(const std::string& name) const { return blocks_.contains(name); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// The number of elements T in the block.
  template <class T>
  [[nodiscard]] std::uint64_t count(const std::string& name) const {
    return find(name, sizeof(T)).entry.bytes / sizeof(T);
  }
  /// Appends elements [first, first + count) to `out`; the whole block is read, in pieces, and checked.
  template <class Array, class T = typename Array::value_type>
  void append(const std::string& name, std::uint64_t first, std::uint64_t count, Array& out) {
    const Block& block = find(name, sizeof(T));
    if (first + count > block.entry.bytes / sizeof(T)) damaged("has too short a block " + name);
    out.resize(out.size() + count);
    read_range(name, block, first * sizeof(T), count * sizeof(T),
               reinterpret_cast<char*>(out.data() + (out.size() - count)));
  }
  template <class T>
  [[nodiscard]] std::vector<T> block(const std::string& name) {
    std::vector<T> values;
    append(name, 0, count<T>(name), values);
    return values;
  }
  /// The same CRC as the writer's, over all blocks but `except`.
  [[nodiscard]] std::uint32_t data_crc(std::string_view except) const;

  [[noreturn]] void damaged(const std::string& what) const;

 private:
  struct Block {
    checkpoint_format::BlockEntry entry;
    std::uint64_t offset;
  };

  [[nodiscard]] const Block& find(const std::string& name, std::size_t element_bytes) const;
  /// Reads the next bytes.
  void read_raw(void* data, std::size_t bytes);
  void read_range(const std::string& name, const Block& block, std::uint64_t from, std::uint64_t bytes, char* out);
  void check(const checkpoint_format::Header& header, std::uint64_t bytes) const;
  void index_blocks(std::uint64_t bytes);

  std::string path_;
  PlainFile file_;
  std::uint64_t at_ = 0;  ///< position of the next bytes
  std::vector<checkpoint_format::BlockEntry> table_;
  std::map<std::string, Block> blocks_;
};

}  // namespace multiwalk
