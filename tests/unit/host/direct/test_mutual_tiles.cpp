// SPDX-License-Identifier: GPL-3.0-or-later
// Every tile of pairs belongs to one block and one strip, whatever the sets of bodies, launches and devices.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "host/direct/mutual_tiles.hpp"

namespace multiwalk {
namespace {

/// Counts what the blocks of a launch sum, as mutual_sum_kernel goes through it.
void sum_launch(const MutualRows& launch, std::vector<int>& sums_of_tile) {
  std::map<std::uint64_t, std::uint32_t> row_of_strip;
  for (std::uint64_t block = 0; block < launch.blocks(); ++block) {
    std::uint64_t next = block * launch.tiles_of_block;
    const std::uint64_t end = std::min(next + launch.tiles_of_block, launch.tiles());
    ASSERT_LT(next, end) << "block " << block << " has nothing to do";
    for (std::uint32_t row = launch.row_of(next); next < end; ++row) {
      ASSERT_LT(row, launch.first_row + launch.rows);
      const MutualStrip strip = launch.strip(next, end, row);
      ASSERT_EQ(strip.row, row);
      ASSERT_GE(strip.first_tile, launch.shape.first_tile(row));
      ASSERT_LT(strip.first_tile, strip.end_tile);
      ASSERT_LE(strip.end_tile, launch.shape.tiles);
      ASSERT_LT(strip.number, launch.strips());
      ASSERT_TRUE(row_of_strip.emplace(strip.number, row).second) << "strip " << strip.number << " is summed twice";
      for (std::uint32_t tile = strip.first_tile; tile < strip.end_tile; ++tile)
        ++sums_of_tile[std::size_t{row} * launch.shape.tiles + tile];
      next += strip.end_tile - strip.first_tile;
    }
  }
  // As add_mutual_sums_kernel finds a row's strips.
  std::size_t found = 0;
  for (std::uint32_t row = launch.first_row; row < launch.first_row + launch.rows; ++row) {
    const std::uint64_t last = launch.strip_of(launch.tiles_before(row + 1) - 1, row);
    for (std::uint64_t strip = launch.strip_of(launch.tiles_before(row), row); strip <= last; ++strip, ++found) {
      const auto summed = row_of_strip.find(strip);
      ASSERT_TRUE(summed != row_of_strip.end() && summed->second == row) << "strip " << strip << " of row " << row;
    }
  }
  ASSERT_EQ(found, row_of_strip.size());
}

void expect_each_tile_once(const MutualShape& shape, std::uint32_t rows_at_once, unsigned blocks,
                           unsigned multiprocessors) {
  std::vector<int> sums_of_tile(std::size_t{shape.rows} * shape.tiles, 0);
  for (std::uint32_t first = 0; first < shape.rows; first += rows_at_once) {
    MutualRows launch{shape, first, std::min(rows_at_once, shape.rows - first)};
    launch.tiles_of_block = tiles_of_block(launch.tiles(), blocks, multiprocessors);
    ASSERT_NO_FATAL_FAILURE(sum_launch(launch, sums_of_tile));
  }
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    for (std::uint32_t tile = 0; tile < shape.tiles; ++tile) {
      ASSERT_EQ(sums_of_tile[std::size_t{row} * shape.tiles + tile], tile >= shape.first_tile(row) ? 1 : 0)
          << "row " << row << ", tile " << tile;
    }
  }
}

void expect_in_any_launches(const MutualShape& shape) {
  for (const std::uint32_t rows_at_once : {1U, 2U, 5U, 1000U}) {
    for (const unsigned blocks : {1U, 2U}) {
      for (const unsigned multiprocessors : {1U, 7U, 132U}) {
        ASSERT_NO_FATAL_FAILURE(expect_each_tile_once(shape, rows_at_once, blocks, multiprocessors))
            << shape.rows << " rows of " << shape.tiles_of_row << " tiles, " << rows_at_once << " at once, " << blocks
            << " blocks on each of " << multiprocessors;
      }
    }
  }
}

TEST(MutualTiles, EachOnceInATriangle) {
  for (const std::uint32_t tiles_of_row : {1U, 4U, 6U, 8U}) {
    for (const std::size_t n : {1, 256, 257, 1023, 2049, 16384, 40001, 100003})
      ASSERT_NO_FATAL_FAILURE(expect_in_any_launches(triangle_of(n, tiles_of_row))) << n;
  }
}

TEST(MutualTiles, EachOnceInARectangle) {
  for (const std::uint32_t tiles_of_row : {4U, 6U, 8U}) {
    for (const std::size_t n : {1, 257, 5001, 40001}) {
      for (const std::size_t m : {1, 256, 2502, 50000})
        ASSERT_NO_FATAL_FAILURE(expect_in_any_launches(rectangle_of(n, m, tiles_of_row))) << n << " and " << m;
    }
  }
}

TEST(MutualTiles, BlocksFillTheDevice) {
  // Two blocks on each of 132 multiprocessors: no more tiles each than the busiest must have, nor a last wave of few.
  for (const std::uint64_t tiles : {1ULL, 264ULL, 1000ULL, 8256ULL, 32896ULL, 131328ULL}) {
    const std::uint64_t each = tiles_of_block(tiles, 2, 132), blocks = (tiles + each - 1) / each;
    const std::uint64_t in_turn = (blocks + 131) / 132;
    EXPECT_LE(static_cast<double>(in_turn * each * 132), 1.1 * static_cast<double>(std::max<std::uint64_t>(tiles, 264)))
        << tiles << " tiles, " << each << " a block";
  }
}

/// A million bodies and more: nothing overflows 32 bits.
TEST(MutualTiles, OfManyBodies) {
  const MutualShape shape = triangle_of(std::size_t{1} << 27, 4);
  MutualRows last{shape, shape.rows - 3, 3};
  last.tiles_of_block = 5;
  EXPECT_EQ(last.tiles(), (3U + 2U + 1U) * 4U);
  EXPECT_EQ(shape.tiles_before(shape.rows), std::uint64_t{shape.rows} * (shape.rows + 1) / 2 * 4);
  std::uint64_t next = 0;
  for (std::uint32_t row = last.row_of(0); next < last.tiles(); ++row) {
    const MutualStrip strip = last.strip(next, last.tiles(), row);
    EXPECT_EQ(strip.end_tile, shape.tiles);
    next += strip.end_tile - strip.first_tile;
  }
}

}  // namespace
}  // namespace multiwalk
