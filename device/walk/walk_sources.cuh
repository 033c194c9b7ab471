// SPDX-License-Identifier: GPL-3.0-or-later
// The sources of a walk, a tile at a time in shared memory, relative to the walk's centre as the force law has them
// (subtracted in double).
#pragma once

#include <cub/block/block_scan.cuh>

#include "device/base/block_shape.cuh"
#include "device/walk/walk_kernel.cuh"

namespace multiwalk {

/// Second moment of one cell in shared memory.
struct TileMoment {
  float4 a;  ///< xx, xy, xz, yy
  float2 b;  ///< yz, zz
};

/// A tile of a block of `threads` threads, and where the sources of as many ranges are.
template <unsigned threads>
struct Tile {
  using RangeScan = cub::BlockScan<std::uint32_t, threads>;

  float4 source[threads];  ///< position and mass
  TileMoment moment[threads];
  std::uint32_t range_start[threads];  ///< number of a range's first source
  std::uint32_t range_shift[threads];  ///< particle = source + shift
  typename RangeScan::TempStorage scan;
};

/// A source as it is fetched from device memory.
struct FetchedSource {
  Vec3d position;
  float mass = 0;
  TileMoment moment{};
};

inline constexpr std::uint32_t no_source = ~0U;

/// The cells of a walk.
struct CellList {
  const Multipole* multipole;
  const std::uint32_t* cell;

  template <unsigned threads>
  __device__ std::uint32_t index(unsigned i, const Tile<threads>&) const {
    return cell[i];
  }
  __device__ FetchedSource fetch(std::uint32_t index) const {
    const Multipole& m = multipole[index];
    return {m.centre_of_mass, m.mass, {{m.xx, m.xy, m.xz, m.yy}, {m.yz, m.zz}}};
  }
};

/// The particles of the ranges that were numbered last.
struct ParticleList {
  const Vec3d* position;
  const float* mass;

  /// The particle that is source i: of the last range that starts at or before i.
  template <unsigned threads>
  __device__ std::uint32_t index(unsigned i, const Tile<threads>& tile) const {
    unsigned range = 0;
    for (unsigned step = threads / 2; step > 0; step /= 2) {
      if (tile.range_start[range + step] <= i) range += step;
    }
    return i + tile.range_shift[range];
  }
  __device__ FetchedSource fetch(std::uint32_t index) const { return {position[index], mass[index]}; }
};

/// Numbers the particles of up to `threads` ranges; returns how many there are.
template <unsigned threads>
__device__ unsigned number_particles(const ParticleRange* range, unsigned range_count, Tile<threads>& tile) {
  const ParticleRange mine = threadIdx.x < range_count ? range[threadIdx.x] : ParticleRange{};
  std::uint32_t start = 0, total = 0;
  __syncthreads();
  typename Tile<threads>::RangeScan(tile.scan).ExclusiveSum(mine.count, start, total);
  tile.range_start[threadIdx.x] = start;
  tile.range_shift[threadIdx.x] = mine.first - start;
  __syncthreads();
  return total;
}

template <bool with_moment, unsigned threads, class Force>
__device__ void store(const FetchedSource& source, const Force& force, Tile<threads>& tile) {
  const Vec3f d = force.offset(source.position);
  tile.source[threadIdx.x] = {d.x, d.y, d.z, source.mass};
  if constexpr (with_moment) tile.moment[threadIdx.x] = source.moment;
}

/// Calls add(n) with the list's next n sources in the tile, massless ones added so that every set sees equally many.
/// While a tile is evaluated the next one is on its way from device memory, and the indices of the one after that.
/// Neighbours of the list share a tile; but where warps pick their sources, each tile has some of all parts of the
/// list, so that all warps have equally much to do.
template <bool with_moment, unsigned threads, class List, class Force, class Add>
__device__ void for_each_tile(const List& list, unsigned count, const Force& force, const BlockShape& shape,
                              Tile<threads>& tile, const Add& add) {
  constexpr bool picked = Force::worker > 1;
  const unsigned size = threads / shape.sets * shape.sets;  // every set sees equally many
  const unsigned tiles = (count + size - 1) / size;
  const auto index = [&](unsigned number) {
    const unsigned i = picked ? threadIdx.x * tiles + number : number * size + threadIdx.x;
    return threadIdx.x < size && number < tiles && i < count ? list.index(i, tile) : no_source;
  };
  const auto fetch = [&](std::uint32_t i) { return i == no_source ? FetchedSource{force.centre} : list.fetch(i); };
  FetchedSource next = fetch(index(0));
  std::uint32_t later = index(1);
  for (unsigned number = 0; number < tiles; ++number) {
    __syncthreads();
    store<with_moment>(next, force, tile);
    __syncthreads();
    next = fetch(later);
    later = index(number + 2);
    const unsigned sources = picked ? (count - number + tiles - 1) / tiles : min(size, count - number * size);
    add((sources + shape.sets - 1) / shape.sets * shape.sets);
  }
}

}  // namespace multiwalk
