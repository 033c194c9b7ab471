// SPDX-License-Identifier: GPL-3.0-or-later
// Writes rows in memory as columns of an HDF5 file, and reads columns. One process does the writing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

/// Writes the compressed dataset group/name, which holds at(row, column) as a T for each row and `columns` columns.
/// Without rows, no dataset is written.
template <class T, class Row, class At>
void write_column(const hdf5::Object& group, const std::string& name, std::uint64_t columns, std::span<const Row> rows,
                  At at) {
  if (rows.empty()) return;
  const auto make = [&](std::uint64_t first, std::uint64_t count, T* out) {
    for (const Row& row : rows.subspan(first, count))
      for (std::uint64_t c = 0; c < columns; ++c) *out++ = static_cast<T>(at(row, static_cast<int>(c)));
  };
  const hdf5::RowSource source = hdf5::RowSource::of<T>(name, columns, make);
  const hdf5::Object dataset = group.create_dataset(source, rows.size(), hdf5::Storage::compressed);
  dataset.write_rows(source, 0, rows.size(), 0);
  dataset.finish_rows();
}

/// (rows x columns) A whole dataset as numbers of type T; empty if the dataset does not exist.
template <class T>
std::vector<T> read_column(const hdf5::Object& group, const std::string& name, std::uint64_t columns = 1) {
  return group.has(name) ? group.read_dataset<T>(name, columns) : std::vector<T>{};
}

}  // namespace multiwalk
