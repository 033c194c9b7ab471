// SPDX-License-Identifier: GPL-3.0-or-later
// A FITS file with one binary table, written by CFITSIO.
#pragma once

#include <fitsio.h>

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace multiwalk {

/// A header keyword; FITS allows 8 characters.
struct FitsKey {
  std::string name;
  std::variant<std::int64_t, double, std::string> value;
  std::string comment;
};

/// Throws Error with CFITSIO's message about the file if `status` is that of a failed call. `what`: "create", "write".
void require_fits(int status, const char* what, const std::string& path);

/// Writes the keywords into the current header.
void write_fits_keys(fitsfile* file, const std::vector<FitsKey>& keys, int& status);

struct FitsColumn {
  std::string name;
  std::string form;  ///< "J": 32-bit integers, "K": 64-bit, "D": double precision
};

/// Appends a binary table without rows.
void write_fits_table_header(fitsfile* file, const std::string& extension, const std::vector<FitsColumn>& columns,
                             const std::vector<FitsKey>& keys, int& status);

/// Members throw Error with CFITSIO's message.
class FitsTable {
 public:
  /// Creates the file, which must not exist.
  FitsTable(const std::string& path, const std::string& extension, const std::vector<FitsColumn>& columns,
            const std::vector<FitsKey>& keys);
  FitsTable(const FitsTable&) = delete;
  FitsTable& operator=(const FitsTable&) = delete;
  ~FitsTable();

  /// Writes rows of a column (counted from 0), starting at row `at`.
  void write(int column, std::uint64_t at, std::span<const std::uint32_t> values);
  void write(int column, std::uint64_t at, std::span<const std::int64_t> values);
  void write(int column, std::uint64_t at, std::span<const double> values);
  void close();

 private:
  void write(int column, std::uint64_t at, int type, const void* values, std::size_t count);
  void require(const char* what);

  std::string path_;
  fitsfile* file_ = nullptr;
  int status_ = 0;
};

}  // namespace multiwalk
