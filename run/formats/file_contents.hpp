// SPDX-License-Identifier: GPL-3.0-or-later
// The input of the writers of other codes' files: header values, and functions that fill the rows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "host/cosmology/expansion.hpp"
#include "run/formats/columns.hpp"
#include "run/formats/file_units.hpp"

namespace multiwalk {

/// A comoving periodic box of dark matter. Numbers are in the units of the file to be written.
struct FileContents {
  std::array<std::uint64_t, gadget_types> count{};
  std::array<double, gadget_types> mass{};    ///< of each particle of a type; 0: the column of masses
  std::array<unsigned, 4> width{4, 4, 4, 4};  ///< bytes of each number, 4 or 8, by Column
  double a = 1, box = 0;
  CosmologyParameters cosmology;
  bool states_baryons = true;  ///< whether omega_b is known; SWIFT's files have one in any case
  GadgetUnits units;           ///< cgs; SWIFT's without h
  /// Rows [first, first + count) of a type, `out`: count times numbers_of(column).
  std::function<void(Column column, int type, std::uint64_t first, std::uint64_t count, double* out)> numbers;
  std::function<void(int type, std::uint64_t first, std::uint64_t count, std::uint64_t* out)> ids;

  [[nodiscard]] unsigned width_of(Column column) const { return width[static_cast<std::size_t>(column)]; }
};

/// GADGET's format 1 or 2, in this machine's byte order; all real numbers have the width of the positions. Velocities
/// are v_pec / sqrt(a). Throws InputError if the format cannot hold the particles, Error if the file cannot be written.
void write_gadget_file(const std::string& path, const FileContents& contents, int format);

/// GADGET-4's HDF5 layout with its units; velocities as above. Throws Error.
void write_gadget_hdf5(const std::string& path, const FileContents& contents);

/// SWIFT's HDF5 layout, without h; velocities are peculiar ones, and every particle has its mass. Throws Error.
void write_swift_hdf5(const std::string& path, const FileContents& contents);

}  // namespace multiwalk
