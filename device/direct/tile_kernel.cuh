// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of all strategies of strategies.hpp: blocks take units of the matrix of pairs in the order of a plan.
#pragma once

#include <cstddef>

#include "device/direct/pair_sum.cuh"
#include "host/gravity/gravity_pairs.hpp"

namespace multiwalk {

using TilePair = GravityPair<true, SingleVector>;
using TileBody = Aligned<TilePair::Source<float>>;
using TileSum = ForceSum<float>;

/// The squares first...end - 1 of a row of squares.
struct TileUnit {
  unsigned row, first, end;
};

/// The units of a matrix of side x side squares.
struct TilePlan {
  unsigned side = 0;
  unsigned parts = 1;       ///< units of a row
  unsigned units = 0;       ///< in all
  bool triangle = false;    ///< units are the squares on and above the diagonal
  bool by_columns = false;  ///< a part of all rows before the next; else all parts of a row before the next
  unsigned blocks = 1;      ///< without a queue, block b takes the units b, b + blocks, ...
  [[nodiscard]] __device__ TileUnit operator[](unsigned u) const {
    if (triangle) {
      const auto column = static_cast<unsigned>((sqrt(8.0 * u + 1) - 1) / 2);
      return {u - column * (column + 1) / 2, column, column + 1};
    }
    const unsigned row = by_columns ? u % side : u / parts, part = by_columns ? u / side : u % parts;
    return {row, side * part / parts, side * (part + 1) / parts};
  }
};

/// Four sums for each of `count` bodies: accelerations along x, y and z, potentials (positive).
struct TileSums {
  float* value;
  std::size_t count;

  __device__ void add(std::size_t i, const TileSum& sum) const {
    atomicAdd(value + i, sum.x);
    atomicAdd(value + count + i, sum.y);
    atomicAdd(value + 2 * count + i, sum.z);
    atomicAdd(value + 3 * count + i, sum.potential);
  }
};

/// The next unit of a block whose last one was `last`; `queue` null: without.
inline __device__ unsigned next_unit(unsigned last, unsigned* queue) {
  if (queue == nullptr) return last + gridDim.x;
  __shared__ unsigned taken;
  __syncthreads();
  if (threadIdx.x == 0) taken = atomicAdd(queue, 1U);
  __syncthreads();
  return taken;
}

/// Each pair of a square for both bodies, the column's sums in shared memory. Warps take groups of 32 columns in turn,
/// their lanes one column of it each.
inline __device__ void meet_both_ways(const TilePair& pair, const TileBody& body, const TileBody* tile, TileSum& sum,
                                      Aligned<TileSum>* column) {
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32;
  for (unsigned turn = 0; turn < warps; ++turn) {
    const unsigned group = (warp + turn) % warps * 32;
#pragma unroll 4
    for (unsigned step = 0; step < 32; ++step) {
      const unsigned k = group + (threadIdx.x + step) % 32;
      pair.both(body.record, tile[k].record, sum, column[k].record);
      __syncwarp();
    }
    __syncthreads();
  }
}

/// Adds the sums of all units to `sums`. `body`: padded to whole squares with massless bodies. Shared memory: one body
/// per thread, and if `both` one sum per thread.
template <bool both, unsigned each>
__global__ void __launch_bounds__(1024)
    tile_kernel(const TilePlan plan, const TilePair pair, const TileBody* body, const TileSums sums, unsigned* queue) {
  static_assert(!both || each == 1);
  extern __shared__ float4 tiles[];
  auto* const tile = reinterpret_cast<TileBody*>(tiles);
  auto* const column = reinterpret_cast<Aligned<TileSum>*>(tiles + blockDim.x);
  for (unsigned u = queue == nullptr ? blockIdx.x : next_unit(0, queue); u < plan.units; u = next_unit(u, queue)) {
    const TileUnit unit = plan[u];
    const std::size_t first = std::size_t{unit.row} * blockDim.x * each + threadIdx.x;
    TileBody target[each];
    TileSum sum[each];
#pragma unroll
    for (unsigned t = 0; t < each; ++t) target[t] = body[first + t * blockDim.x];
    for (unsigned c = unit.first * each; c < unit.end * each; ++c) {
      const std::size_t source = std::size_t{c} * blockDim.x + threadIdx.x;
      __syncthreads();
      tile[threadIdx.x] = body[source];
      if constexpr (both) column[threadIdx.x].record = {};
      __syncthreads();
      if (both && c != unit.row) {
        meet_both_ways(pair, target[0], tile, sum[0], column);
        sums.add(source, column[threadIdx.x].record);
        continue;
      }
#pragma unroll 8
      for (unsigned k = 0; k < blockDim.x; ++k) {
        const TileBody other = tile[k];
#pragma unroll
        for (unsigned t = 0; t < each; ++t) pair(TilePair::target(target[t].record), other.record, sum[t]);
      }
    }
#pragma unroll
    for (unsigned t = 0; t < each; ++t) sums.add(first + t * blockDim.x, sum[t]);
  }
}

}  // namespace multiwalk
