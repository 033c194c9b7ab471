// SPDX-License-Identifier: GPL-3.0-or-later
// Large files that appear whole or not at all: written aside in pieces, fsynced, renamed, directory fsynced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace multiwalk {

/// Throws InputError if `path` is empty or a directory.
void require_file_name(const std::string& path);

/// A file under construction at path + ".partial"; removed again unless committed. A symbolic link at `path` is
/// replaced, not followed; devices and pipes are written to as they are. Throws InputError in place of writing over a
/// file that the command reads (command_files.hpp).
class PartialFile {
 public:
  static constexpr std::string_view suffix = ".partial";

  /// Throws as require_file_name.
  explicit PartialFile(const std::string& path);
  PartialFile(PartialFile&&) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();

  [[nodiscard]] const std::string& partial_path() const { return partial_; }
  /// Forces the partial file to disk and gives it its name, replacing what was there. Throws Error.
  void commit();
  /// Only forces the file to disk.
  void sync() const;
  /// Reserves disk space for the file's current length, so that writing into it cannot fail for lack of space. Throws
  /// Error; does nothing where the file system cannot promise space.
  void reserve() const;

 private:
  [[nodiscard]] bool in_place() const { return partial_ == path_; }

  std::string path_;
  std::string partial_;
};

/// POSIX file descriptor whose every call is checked; throws Error with the system's text.
class FileDescriptor {
 public:
  static FileDescriptor create(const std::string& path);  ///< truncated, for writing
  /// An ordinary file, to append to; no symbolic link is followed, and hard links keep what they have.
  static FileDescriptor create_or_open(const std::string& path);
  static FileDescriptor open(const std::string& path);  ///< an existing file, for write_at
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  void write(const void* data, std::size_t bytes);
  /// Writes bytes from `place` on; several threads may call it.
  void write_at(std::uint64_t place, const void* data, std::size_t bytes) const;
  void cut(std::uint64_t bytes);  ///< to this size; extends it by zeros
  void sync();                    ///< to disk
  void close();

 private:
  FileDescriptor(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::string path_;
};

}  // namespace multiwalk
