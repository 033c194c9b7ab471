// SPDX-License-Identifier: GPL-3.0-or-later
// A text table on disk to which a run appends rows; a restart cuts it back to the rows that its checkpoint counted.
#pragma once

#include <cstdint>
#include <string>

#include "run/files/partial_file.hpp"

namespace multiwalk {

/// The beginning of a table: whole rows and the checksum of the heading and these.
struct TableRows {
  std::uint64_t rows = 0;
  std::uint32_t checksum = 0;
};

/// Used by one rank. Rows are buffered for about a second. Members throw Error if the file cannot be written, the
/// constructor InputError if it cannot be read.
class GrowingTable {
 public:
  /// `heading`: the first line. Without `before` the table begins anew; otherwise it continues after these rows of the
  /// existing table and removes the others. A missing table, or one with another heading, begins anew; one with other
  /// rows is refused.
  GrowingTable(std::string path, std::string heading, const TableRows& before);

  /// `row`: a line without its newline.
  void add(const std::string& row);
  /// Hands buffered rows to the operating system.
  void flush();
  /// Forces all rows to disk.
  void sync();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Rows in the table: added, or kept from before.
  [[nodiscard]] std::uint64_t rows() const { return stored_.rows; }
  [[nodiscard]] TableRows stored() const { return stored_; }
  /// How many of the rows that the checkpoint counted were missing.
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  std::string path_;
  FileDescriptor file_;
  std::string waiting_;
  double flushed_;
  TableRows stored_;
  std::uint64_t missing_ = 0;
};

}  // namespace multiwalk
