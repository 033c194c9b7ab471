// SPDX-License-Identifier: GPL-3.0-or-later
// A table of text on disk to which a run appends rows; a restart cuts it back to those that its checkpoint counted.
#pragma once

#include <cstdint>
#include <string>

#include "run/files/partial_file.hpp"

namespace multiwalk {

/// Used by one rank. Rows are kept back for about a second. Members throw Error if the file cannot be written,
/// the constructor InputError if it cannot be read.
class GrowingTable {
 public:
  /// `heading`: its first line. 0 `rows`: begins anew; else goes on behind the first `rows` rows of the table that is
  /// there and removes all others. One that is gone or has another heading begins anew.
  GrowingTable(std::string path, std::string heading, std::uint64_t rows);

  /// A line without its end.
  void add(const std::string& row);
  /// Hands the rows that were kept back to the system.
  void flush();
  /// Forces all rows to disk.
  void sync();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Rows added and kept.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// Those of the asked for that were not there.
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  std::string path_;
  FileDescriptor file_;
  std::string waiting_;
  double flushed_;
  std::uint64_t rows_ = 0, missing_ = 0;
};

}  // namespace multiwalk
