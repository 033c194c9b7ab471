// SPDX-License-Identifier: GPL-3.0-or-later
// A FITS file with one binary table, whose rows several threads may write.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "run/sky/fits_table.hpp"

namespace multiwalk {

/// CFITSIO writes the header of the table; the caller writes the rows, in any order.
struct FitsRows {
  std::uint64_t data = 0;  ///< place of the first row
  std::size_t row_bytes = 0;
  std::uint64_t bytes = 0;  ///< of the whole file

  /// Makes the file, in place of one of its name, with all its rows, whose values are 0. `row_bytes`: of all columns
  /// together; numbers in rows are big-endian. Throws Error with CFITSIO's message.
  static FitsRows make(const std::string& path, const std::string& extension, const std::vector<FitsColumn>& columns,
                       const std::vector<FitsKey>& keys, std::uint64_t rows, std::size_t row_bytes);
};

/// Stores a number as FITS does. Returns the place after it.
template <class T>
std::byte* put_big_endian(T value, std::byte* to) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto bits = std::bit_cast<Bits>(value);
  for (std::size_t k = 0; k < sizeof(T); ++k) to[k] = static_cast<std::byte>(bits >> 8 * (sizeof(T) - 1 - k));
  return to + sizeof(T);
}

}  // namespace multiwalk
