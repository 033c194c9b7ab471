// SPDX-License-Identifier: GPL-3.0-or-later
// Ordinary files, opened for reading. In a run directory a file's name may belong to anything, such as a pipe, for
// which its reader would wait forever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace multiwalk {

/// Throws InputError if the file is missing, cannot be read or is a pipe, a device or a directory. Links are followed.
class PlainFile {
 public:
  explicit PlainFile(const std::string& path);
  PlainFile(PlainFile&& other) noexcept;
  PlainFile& operator=(PlainFile&&) = delete;
  ~PlainFile();

  /// Size in bytes when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Reads the bytes [from, from + bytes). Throws InputError if they are not there.
  void read(std::uint64_t from, void* data, std::size_t bytes) const;

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace multiwalk
