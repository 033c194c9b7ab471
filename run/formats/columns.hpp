// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of particle files, in any format.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace multiwalk {

/// In the order of GADGET's blocks.
enum class Column { positions, velocities, ids, masses };

/// Names of a column as an HDF5 dataset, as a block of GADGET's format 2, and in messages.
struct ColumnNames {
  const char* dataset;
  std::string_view block;
  const char* words;
};

constexpr ColumnNames names_of(Column column) {
  constexpr std::array<ColumnNames, 4> all{{{"Coordinates", "POS ", "positions"},
                                            {"Velocities", "VEL ", "velocities"},
                                            {"ParticleIDs", "ID  ", "ids"},
                                            {"Masses", "MASS", "masses"}}};
  return all[static_cast<std::size_t>(column)];
}

/// Numbers of a row.
constexpr std::uint64_t numbers_of(Column column) {
  return column == Column::positions || column == Column::velocities ? 3 : 1;
}

/// The greatest T below the side of a box: coordinates are cut to it, since rounding could put them on the upper face.
template <class T>
T highest_inside(double side) {
  return std::nextafter(static_cast<T>(side), T{0});
}

/// Rows that are read or written in one piece: bounds the memory.
inline constexpr std::uint64_t rows_at_once = 65536;

/// Types of particles in GADGET's files: gas, halo, disc, bulge, stars, boundary.
inline constexpr int gadget_types = 6;

}  // namespace multiwalk
