// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a cubic mesh that ranks hold.
#pragma once

#include <cstdint>

namespace multiwalk {

/// A run of indices [first, first + count).
struct IndexRange {
  std::uint32_t first = 0, count = 0;
  [[nodiscard]] std::uint32_t end() const { return first + count; }
  [[nodiscard]] bool contains(std::uint32_t i) const { return i - first < count; }
};

/// The `part`-th of `parts` nearly equal runs of 0..n-1; some are empty if there are more parts than indices.
IndexRange part_of(std::uint32_t n, int part, int parts);
/// The common part of both; may be empty.
IndexRange overlap(IndexRange a, IndexRange b);

/// Ranks in a grid of rows x columns, rows >= columns, as nearly equal as the factors of their number allow (a prime
/// gives one column). Rank = row * columns + column.
struct PencilGrid {
  int rows = 1, columns = 1;

  explicit PencilGrid(int ranks);
  [[nodiscard]] int row(int rank) const { return rank / columns; }
  [[nodiscard]] int column(int rank) const { return rank % columns; }
};

/// A rank's pencils: as values (x range, y range, all z), as modes (all x, y range, z range). In rank order the values'
/// pencils are blocks of rising x, then y.
struct Pencil {
  IndexRange value_x, value_y, mode_y, mode_z;

  Pencil(const PencilGrid& grid, int rank, std::uint32_t cells);
};

}  // namespace multiwalk
