// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of bodies evaluated once for both, divided into tiles, and the assignment of tiles to thread blocks
// (device/direct/mutual_sum.cuh).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "host/base/host_device.hpp"

namespace multiwalk {

inline constexpr unsigned mutual_tile = 256;  ///< bodies of a column that pass by together

/// Bodies in one array: a triangle, whose columns are the bodies of its rows, or a rectangle, whose columns follow its
/// rows. Tiles are counted from the first body.
struct MutualShape {
  std::uint32_t rows, tiles_of_row;
  std::uint32_t first_column;  ///< the tile of the first column
  std::uint32_t tiles;         ///< number of tiles of all bodies

  /// The first tile that a row has pairs with. Pairs with its own tiles are evaluated one way.
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint32_t first_tile(std::uint32_t row) const {
    const std::uint32_t own = row * tiles_of_row;
    return own > first_column ? own : first_column;
  }
  /// The number of tiles that all rows before this one have pairs with.
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint64_t tiles_before(std::uint32_t row) const {
    const std::uint64_t left_out =
        first_column > 0 ? std::uint64_t{row} * first_column : std::uint64_t{row} * (row - 1) / 2 * tiles_of_row;
    return std::uint64_t{row} * tiles - left_out;
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::size_t columns() const {
    return std::size_t{tiles - first_column} * mutual_tile;
  }
};

/// This many bodies among themselves.
inline MutualShape triangle_of(std::size_t bodies, std::uint32_t tiles_of_row) {
  const std::size_t of_row = std::size_t{tiles_of_row} * mutual_tile;
  const auto rows = static_cast<std::uint32_t>((bodies + of_row - 1) / of_row);
  return {rows, tiles_of_row, 0, rows * tiles_of_row};
}

/// `bodies` in rows and `others` in columns.
inline MutualShape rectangle_of(std::size_t bodies, std::size_t others, std::uint32_t tiles_of_row) {
  MutualShape shape = triangle_of(bodies, tiles_of_row);
  shape.first_column = shape.tiles;
  shape.tiles += static_cast<std::uint32_t>((others + mutual_tile - 1) / mutual_tile);
  return shape;
}

/// The part of a row that one block evaluates.
struct MutualStrip {
  std::uint32_t row, first_tile, end_tile;
  std::uint64_t number;  ///< unique within the launch; strips of a row have consecutive numbers
};

/// One launch, whose tiles, counted row by row, are distributed evenly to blocks.
struct MutualRows {
  MutualShape shape;
  std::uint32_t first_row, rows;
  std::uint32_t tiles_of_block = 1;

  /// The launch's tiles before this row.
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint64_t tiles_before(std::uint32_t row) const {
    return shape.tiles_before(row) - shape.tiles_before(first_row);
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint64_t tiles() const { return tiles_before(first_row + rows); }
  [[nodiscard]] std::uint64_t blocks() const { return (tiles() + tiles_of_block - 1) / tiles_of_block; }
  /// An upper limit.
  [[nodiscard]] std::uint64_t strips() const { return blocks() + rows; }
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint32_t row_of(std::uint64_t tile) const {
    std::uint32_t row = first_row, end = first_row + rows;
    while (end - row > 1) {
      const std::uint32_t middle = row + (end - row) / 2;
      (tile < tiles_before(middle) ? end : row) = middle;
    }
    return row;
  }
  /// Each strip differs from the next in its block or its row.
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint64_t strip_of(std::uint64_t tile, std::uint32_t row) const {
    return tile / tiles_of_block + (row - first_row);
  }
  /// From this tile of this row to the end of the row or to tile `end`.
  [[nodiscard]] MULTIWALK_HOST_DEVICE MutualStrip strip(std::uint64_t tile, std::uint64_t end,
                                                        std::uint32_t row) const {
    const std::uint64_t end_of_row = tiles_before(row + 1);
    const std::uint32_t first = shape.first_tile(row) + static_cast<std::uint32_t>(tile - tiles_before(row));
    const auto length = static_cast<std::uint32_t>((end < end_of_row ? end : end_of_row) - tile);
    return {row, first, first + length, strip_of(tile, row)};
  }
};

/// The number of tiles per block for which the work ends earliest if a multiprocessor runs `blocks` at once. Times of
/// 64 sums of 8,192 to 131,072 bodies on an H200 are reproduced if the start and end of a block take as long as 0.15
/// tiles, and blocks on one multiprocessor end 5 % of their time apart. The numbers chosen in this way take 0.3 % more
/// time than the best ones (mean).
inline std::uint32_t tiles_of_block(std::uint64_t tiles, unsigned blocks, unsigned multiprocessors) {
  constexpr double per_block = 0.15, apart = 0.05;
  const auto parts = [](std::uint64_t all, std::uint64_t size) {
    return static_cast<std::uint32_t>((all + size - 1) / size);
  };
  const std::uint32_t most = parts(tiles, std::uint64_t{blocks} * multiprocessors);
  std::uint32_t best = most;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t each = most; each > 0; --each) {
    const std::uint32_t in_turn = std::max(parts(parts(tiles, each), multiprocessors), std::uint32_t{blocks});
    const double time = in_turn * (each + per_block) + apart * (blocks - 1) * each;
    if (time < least) {
      least = time;
      best = each;
    }
  }
  return best;
}

}  // namespace multiwalk
