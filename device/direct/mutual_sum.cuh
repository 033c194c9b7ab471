// SPDX-License-Identifier: GPL-3.0-or-later
// Gravity among N bodies, each pair evaluated once for both (the triangle of Kavanagh 2008), or between two sets of
// bodies (a rectangle), on a device. A thread keeps `each` bodies of a block's row in registers; the bodies of a column
// pass by in groups of 32, one in each lane, whose sums travel from lane to lane as the group turns. So a pair costs
// about ten instructions each way instead of fifteen. Sums are added in a fixed order: a repeated call gives the same
// bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/direct/gravity_sums.cuh"
#include "device/direct/pair_accumulator.cuh"
#include "device/direct/pair_sum.cuh"
#include "host/direct/mutual_tiles.hpp"

namespace multiwalk {

inline constexpr unsigned mutual_threads = 256, mutual_warps = mutual_threads / 32;
static_assert(mutual_tile == mutual_threads, "a thread brings a body of a column");

/// Arrays of one launch.
template <class Body, class Sum>
struct MutualArrays : MutualRows {
  const Aligned<Body>* body;  ///< padded to whole rows, and columns to whole tiles, with massless bodies
  Sum* row_sum = nullptr;     ///< (strips x bodies of a row)
  Sum* column_sum = nullptr;  ///< (rows x columns); set right of the diagonal
};

template <class Record>
__device__ Record from_next_lane(const Record& record) {
  Record moved;
  const auto* const from = reinterpret_cast<const float*>(&record);
  auto* const to = reinterpret_cast<float*>(&moved);
#pragma unroll
  for (unsigned c = 0; c < sizeof(Record) / sizeof(float); ++c) {
    to[c] = __shfl_sync(~0U, from[c], (threadIdx.x + 1) % 32);
  }
  return moved;
}

/// Shared memory of a block.
template <class Interaction, unsigned each>
struct MutualShared {
  using Sum = typename Interaction::template Sum<float>;
  static constexpr unsigned values = sizeof(Sum) / sizeof(float);

  Aligned<typename Interaction::template Source<float>> column[2 * mutual_tile];  ///< every group twice: it turns
  double column_sum[values][mutual_tile];
  double row_sum[each][values][mutual_threads];

  __device__ void add_row(unsigned t, Sum& sum) {
    const auto* const from = reinterpret_cast<const float*>(&sum);
#pragma unroll
    for (unsigned c = 0; c < values; ++c) row_sum[t][c][threadIdx.x] += static_cast<double>(from[c]);
    sum = {};
  }
  __device__ void add_column(unsigned place, const Sum& sum) {
    const auto* const from = reinterpret_cast<const float*>(&sum);
#pragma unroll
    for (unsigned c = 0; c < values; ++c) column_sum[c][place] += static_cast<double>(from[c]);
  }
};

/// The row's bodies of one thread, and their sums over at most 128 pairs.
template <class Interaction, unsigned each>
struct MutualRow {
  using Body = typename Interaction::template Source<float>;
  using Sum = typename Interaction::template Sum<float>;
  Body body[each];
  Sum sum[each];

  /// Place in the row of body t: a warp's follow each other.
  __device__ static unsigned place(unsigned t) { return (threadIdx.x / 32 * each + t) * 32 + threadIdx.x % 32; }

  /// One turn of a group of columns past this warp's bodies: returns the sum of the column of this lane.
  __device__ Sum turn(const Interaction& pair, const Aligned<Body>* group) {
    Sum of_column{};
#pragma unroll 4
    for (unsigned step = 0; step < 32; ++step) {
      const Body column = group[threadIdx.x % 32 + step].record;
#pragma unroll
      for (unsigned t = 0; t < each; ++t) pair.both(body[t], column, sum[t], of_column);
      of_column = from_next_lane(of_column);
    }
    return of_column;
  }

  /// The same in one direction, without own pairs; `first`: place in the row of the group's first body.
  __device__ void turn_one_way(const Interaction& pair, const Aligned<Body>* group, unsigned first) {
    for (unsigned step = 0; step < 32; ++step) {
      const Body column = group[threadIdx.x % 32 + step].record;
      const unsigned column_place = first + (threadIdx.x + step) % 32;
#pragma unroll
      for (unsigned t = 0; t < each; ++t) {
        Body source = column;
        if (column_place == place(t)) source.mass = 0;
        pair(Interaction::target(body[t]), source, sum[t]);
      }
    }
  }
};

/// All threads of a block.
template <class Interaction, unsigned each, class Arrays>
__device__ void sum_strip(const Interaction& pair, const Arrays& arrays, const MutualStrip& strip,
                          MutualShared<Interaction, each>& shared) {
  constexpr unsigned row_bodies = mutual_threads * each, row_tiles = row_bodies / mutual_tile;
  constexpr unsigned turns_of_part = 128 / 32;
  const std::size_t row_first = std::size_t{strip.row} * row_bodies;
  MutualRow<Interaction, each> row;
#pragma unroll
  for (unsigned t = 0; t < each; ++t) {
    row.body[t] = arrays.body[row_first + row.place(t)].record;
    row.sum[t] = {};
    for (unsigned c = 0; c < shared.values; ++c) shared.row_sum[t][c][threadIdx.x] = 0;
  }
  for (std::uint32_t n = strip.first_tile; n < strip.end_tile; ++n) {
    const std::size_t column_first = std::size_t{n} * mutual_tile;
    const bool own_tile = n / row_tiles == strip.row;
    __syncthreads();
    const unsigned place = threadIdx.x / 32 * 64 + threadIdx.x % 32;
    shared.column[place] = shared.column[place + 32] = arrays.body[column_first + threadIdx.x];
    for (unsigned c = 0; c < shared.values; ++c) shared.column_sum[c][threadIdx.x] = 0;
    for (unsigned turn = 0; turn < mutual_warps; ++turn) {
      __syncthreads();
      const unsigned group = (threadIdx.x / 32 + turn) % mutual_warps;
      if (own_tile) {
        row.turn_one_way(pair, shared.column + 64 * group, n % row_tiles * mutual_tile + 32 * group);
      } else {
        shared.add_column(32 * group + threadIdx.x % 32, row.turn(pair, shared.column + 64 * group));
      }
      if (turn % turns_of_part == turns_of_part - 1) {
#pragma unroll
        for (unsigned t = 0; t < each; ++t) shared.add_row(t, row.sum[t]);
      }
    }
    __syncthreads();
    if (own_tile) continue;
    const std::size_t column = column_first - std::size_t{arrays.shape.first_column} * mutual_tile + threadIdx.x;
    auto* const column_sum =
        reinterpret_cast<double*>(arrays.column_sum + (strip.row - arrays.first_row) * arrays.shape.columns() + column);
    for (unsigned c = 0; c < shared.values; ++c) column_sum[c] = shared.column_sum[c][threadIdx.x];
  }
#pragma unroll
  for (unsigned t = 0; t < each; ++t) {
    auto* const row_sum = reinterpret_cast<double*>(arrays.row_sum + strip.number * row_bodies + row.place(t));
    for (unsigned c = 0; c < shared.values; ++c) row_sum[c] = shared.row_sum[t][c][threadIdx.x];
  }
}

/// `blocks`: on a multiprocessor at a time.
template <class Interaction, unsigned each, unsigned blocks>
__global__ void __launch_bounds__(mutual_threads, blocks) mutual_sum_kernel(
    const Interaction pair,
    const MutualArrays<typename Interaction::template Source<float>, typename Interaction::template Sum<double>>
        arrays) {
  extern __shared__ double memory[];
  auto& shared = *reinterpret_cast<MutualShared<Interaction, each>*>(memory);
  std::uint64_t next = std::uint64_t{blockIdx.x} * arrays.tiles_of_block;
  const std::uint64_t end = min(next + arrays.tiles_of_block, arrays.tiles());
  for (std::uint32_t row = arrays.row_of(next); next < end; ++row) {
    const MutualStrip strip = arrays.strip(next, end, row);
    sum_strip<Interaction, each>(pair, arrays, strip, shared);
    next += strip.end_tile - strip.first_tile;
  }
}

/// Adds a launch's sums to the bodies' totals: first those of the rows above a body, then of the strips of its own row.
template <class Sum, class Body>
__global__ void __launch_bounds__(mutual_threads)
    add_mutual_sums_kernel(const MutualArrays<Body, Sum> arrays, std::size_t bodies, Sum* total) {
  const std::size_t i = std::size_t{blockIdx.x} * mutual_threads + threadIdx.x;
  if (i >= bodies) return;
  Sum sum = total[i];
  const MutualShape& shape = arrays.shape;
  const std::size_t row_bodies = std::size_t{shape.tiles_of_row} * mutual_tile;
  const std::size_t first_column = std::size_t{shape.first_column} * mutual_tile;
  const auto own = static_cast<std::uint32_t>(i / row_bodies);
  if (i >= first_column && own > arrays.first_row) {
    const std::uint32_t above = min(own - arrays.first_row, arrays.rows);
    add_record<double>(sum, add_parts(arrays.column_sum + (i - first_column), shape.columns(), above));
  }
  if (own >= arrays.first_row && own < arrays.first_row + arrays.rows) {
    const std::uint64_t first = arrays.strip_of(arrays.tiles_before(own), own);
    const std::uint64_t last = arrays.strip_of(arrays.tiles_before(own + 1) - 1, own);
    const auto strips = static_cast<unsigned>(last - first + 1);
    add_record<double>(sum, add_parts(arrays.row_sum + first * row_bodies + i % row_bodies, row_bodies, strips));
  }
  total[i] = sum;
}

template <class Sum, class Finish>
__global__ void __launch_bounds__(mutual_threads)
    store_mutual_sums_kernel(const Sum* total, std::size_t bodies, const Finish finish) {
  const std::size_t i = std::size_t{blockIdx.x} * mutual_threads + threadIdx.x;
  if (i < bodies) finish(i, total[i]);
}

}  // namespace multiwalk
