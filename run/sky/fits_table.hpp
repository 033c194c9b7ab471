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

// All throw Error with CFITSIO's message about the file.

/// Creates a file, in place of one that a killed program left there.
fitsfile* create_fits(const std::string& path);
/// `status`: of the calls that wrote into it.
void close_fits(fitsfile* file, int status, const std::string& path);

/// Writes the keywords into the current header.
void write_fits_keys(fitsfile* file, const std::vector<FitsKey>& keys, int& status);

struct FitsColumn {
  std::string name;
  std::string form;  ///< "J": 32-bit integers, "K": 64-bit, "D": double precision
};

/// Appends a binary table without rows.
void write_fits_table_header(fitsfile* file, const std::string& extension, const std::vector<FitsColumn>& columns,
                             const std::vector<FitsKey>& keys, int& status);

/// A file with a table of one column in double precision.
void write_fits_column(const std::string& path, const std::string& extension, const std::string& name,
                       const std::vector<FitsKey>& keys, std::span<const double> values);

}  // namespace multiwalk
