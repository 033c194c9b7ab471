// SPDX-License-Identifier: GPL-3.0-or-later
// The far cells of a walk, a tile at a time in shared memory as columns and rows for tensor cores, about the walk's
// centre (subtracted in double).
#pragma once

#include <cuda_pipeline.h>

#include <cstring>

#include "device/walk/walk_kernel.cuh"
#include "host/gravity/far_pair.hpp"

namespace multiwalk {

inline constexpr unsigned far_warps = 8;  ///< per block
inline constexpr unsigned far_threads = 32 * far_warps;

/// The tile being evaluated, and the cells of the next one being read from device memory.
struct FarTile {
  FarBlock block[far_threads / 8];
  uint4 coming[sizeof(Multipole) / sizeof(uint4)][far_threads];
};

/// Parts of a cell that are read; without its moments, those up to the mass.
template <bool quadrupole>
inline constexpr unsigned far_parts = (quadrupole ? sizeof(Multipole) : offsetof(Multipole, xx)) / sizeof(uint4) +
                                      (quadrupole ? 0 : 1);

template <bool quadrupole>
__device__ void request(const Multipole* cell, FarTile& tile) {
  const auto* from = reinterpret_cast<const uint4*>(cell);
#pragma unroll
  for (unsigned p = 0; p < far_parts<quadrupole>; ++p) {
    __pipeline_memcpy_async(&tile.coming[p][threadIdx.x], from + p, sizeof(uint4));
  }
}

/// The cell that this thread requested.
template <bool quadrupole>
__device__ Multipole received(const FarTile& tile) {
  uint4 part[4]{};
#pragma unroll
  for (unsigned p = 0; p < far_parts<quadrupole>; ++p) part[p] = tile.coming[p][threadIdx.x];
  Multipole cell;
  static_assert(sizeof part == sizeof cell);
  memcpy(&cell, part, sizeof cell);
  return cell;
}

template <bool quadrupole>
__device__ void store_far(const Multipole& cell, Vec3d centre, float softening2, FarTile& tile) {
  FarBlock& block = tile.block[threadIdx.x / 8];
  const unsigned j = threadIdx.x % 8;
  const Vec3f x = static_cast<Vec3f>(cell.centre_of_mass - centre);
  store_far_place(block, j, x, cell.mass, softening2);
  if constexpr (quadrupole) {
    store_far_shape(block, j, x, {cell.xx, cell.xy, cell.xz, cell.yy, cell.yz, cell.zz}, softening2);
  }
}

/// Calls add(n) with the walk's next n blocks of far cells in the tile, the last one filled up with massless ones.
template <bool quadrupole, class Add>
__device__ void for_each_far_tile(const WalkLaunch& launch, const Walk& walk, FarTile& tile, const Add& add) {
  const std::uint32_t* list = launch.cell + (walk.cell_first - launch.cell_base);
  const unsigned count = walk.far_count;
  const auto index = [&](unsigned i) { return i < count ? list[i] : 0; };
  if (threadIdx.x < count) request<quadrupole>(launch.multipole + index(threadIdx.x), tile);
  std::uint32_t next = index(threadIdx.x + far_threads);
  for (unsigned base = 0; base < count; base += far_threads) {
    const unsigned i = base + threadIdx.x;
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i < count) {
      store_far<quadrupole>(received<quadrupole>(tile), walk.centre, launch.softening2, tile);
    } else {
      store_far<quadrupole>(Multipole{walk.centre}, walk.centre, 1, tile);
    }
    if (i + far_threads < count) request<quadrupole>(launch.multipole + next, tile);
    next = index(i + 2 * far_threads);
    __syncthreads();
    add((min(far_threads, count - base) + 7) / 8);
  }
}

}  // namespace multiwalk
