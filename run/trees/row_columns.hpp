// SPDX-License-Identifier: GPL-3.0-or-later
// Writes rows in memory as columns of an HDF5 file, and reads columns. One process does the writing.
#pragma once

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
  group.write_dataset(hdf5::RowSource::of_rows<T>(name, columns, rows, at), 0, rows.size(), hdf5::Storage::compressed);
}

/// (rows x columns) A whole dataset as numbers of type T; empty if the dataset does not exist.
template <class T>
std::vector<T> read_column(const hdf5::Object& group, const std::string& name, std::uint64_t columns = 1) {
  return group.has(name) ? group.read_dataset<T>(name, columns) : std::vector<T>{};
}

}  // namespace multiwalk
