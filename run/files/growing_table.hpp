// SPDX-License-Identifier: GPL-3.0-or-later
// A text table on disk to which a run appends rows; a restart cuts it back to the rows that its checkpoint counted.
#pragma once

#include <cstdint>
#include <string>

#include "run/files/partial_file.hpp"

namespace multiwalk {

/// Used by one rank. Rows are buffered for about a second. Members throw Error if the file cannot be written, the
/// constructor InputError if it cannot be read.
class GrowingTable {
 public:
  /// `heading`: the first line. With `rows` = 0 the table begins anew; otherwise it continues after the first `rows`
  /// rows of the existing table and removes the others. A missing table, or one with another heading, begins anew.
  GrowingTable(std::string path, std::string heading, std::uint64_t rows);

  /// `row`: a line without its newline.
  void add(const std::string& row);
  /// Hands buffered rows to the operating system.
  void flush();
  /// Forces all rows to disk.
  void sync();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Rows in the table: added, or kept from before.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// How many of the rows to continue after did not exist.
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  std::string path_;
  FileDescriptor file_;
  std::string waiting_;
  double flushed_;
  std::uint64_t rows_ = 0, missing_ = 0;
};

}  // namespace multiwalk
