// SPDX-License-Identifier: GPL-3.0-or-later
// A thread block adds up a tile in shared memory and then adds it to the mesh. A warp adds one cloud at a time, each
// lane two of its 64 points: no two lanes meet in a point or a bank, however the particles are clustered.
#include "device/base/blocks_for.cuh"
#include "device/mesh/mesh_kernels.cuh"
#include "device/mesh/tiles.cuh"

namespace multiwalk {

namespace {

using tiles::order;
using tiles::threads;
constexpr unsigned warp = 32;

/// 64-bit counts in two halves: shared memory has no atomic addition of 64 bits.
struct TileCounts {
  std::uint32_t low[tiles::all_points], high[tiles::all_points];

  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < tiles::all_points; i += threads) low[i] = high[i] = 0;
  }
  /// Adds to a point's low half; true if that overflows, which add_high must be told. The sum is exact however the
  /// additions of different warps mix.
  __device__ bool add_low(unsigned point, unsigned long long count) {
    const auto part = static_cast<std::uint32_t>(count);
    return atomicAdd(low + point, part) > ~part;
  }
  __device__ void add_high(unsigned point, unsigned long long count, bool carry) {
    atomicAdd(high + point, static_cast<std::uint32_t>(count >> 32) + (carry ? 1U : 0U));
  }
  /// Returns a point's count and sets it to 0.
  __device__ unsigned long long take(unsigned point) {
    const unsigned long long count = static_cast<unsigned long long>(high[point]) << 32 | low[point];
    low[point] = high[point] = 0;
    return count;
  }
};

/// A particle's counts before the share along z.
struct StagedCloud {
  double line[order * order], along_z[order];
  std::uint64_t begin;  // 21 words of 64 bits in all: lanes that write theirs use different banks

  /// `weight`: the particle's counts.
  __device__ void set(const tiles::TileCloud& cloud, double weight) {
#pragma unroll
    for (int i = 0; i < order; ++i) {
#pragma unroll
      for (int j = 0; j < order; ++j) line[i * order + j] = weight * (cloud.x.weight[i] * cloud.y.weight[j]);
    }
#pragma unroll
    for (int k = 0; k < order; ++k) along_z[k] = cloud.z.weight[k];
    begin = cloud.begin;
  }
  __device__ void clear() {
#pragma unroll
    for (double& l : line) l = 0;
#pragma unroll
    for (double& z : along_z) z = 0;
    begin = 0;
  }
};

/// The warp adds the clouds of `n` particles, each of which one lane has staged; those after the last are clear. Some
/// are added together, so that one need not wait for the other.
__device__ void add_clouds(const StagedCloud* staged, unsigned n, TileCounts& counts) {
  constexpr unsigned together = 4, half = order * order / 2;  // lines of two planes
  const unsigned lane = threadIdx.x % warp, k = lane % order, line = lane / order;
  const unsigned own = line / order * tiles::step_x + line % order * tiles::points_z + k;
  for (unsigned p = 0; p < n; p += together) {
    unsigned long long count[2 * together];
    unsigned point[2 * together];
    bool carry[2 * together];
#pragma unroll
    for (unsigned c = 0; c < 2 * together; ++c) {
      const StagedCloud& cloud = staged[p + c / 2];
      const double share = cloud.line[line + c % 2 * half] * cloud.along_z[k];
      count[c] = static_cast<unsigned long long>(__double2ll_rn(share));
      point[c] = static_cast<unsigned>(cloud.begin) + own + c % 2 * 2 * tiles::step_x;
    }
#pragma unroll
    for (unsigned c = 0; c < 2 * together; ++c) carry[c] = counts.add_low(point[c], count[c]);
#pragma unroll
    for (unsigned c = 0; c < 2 * together; ++c) counts.add_high(point[c], count[c], carry[c]);
  }
}

__global__ void __launch_bounds__(threads)
    deposit_kernel(const TiledPoints sorted, const MeshPlaces mesh, double counts_of_mass, const MeshCounts counts) {
  __shared__ TileCounts tile_counts;
  __shared__ StagedCloud staged[threads];
  StagedCloud* const of_warp = staged + threadIdx.x / warp * warp;
  tile_counts.clear();
  __syncthreads();
  tiles::for_each_tile(sorted, mesh, [&](const tiles::Tile& tile, std::size_t first, std::size_t last) {
    for (std::size_t begin = first + threadIdx.x / warp * warp; begin < last; begin += threads) {
      const std::size_t i = begin + threadIdx.x % warp;
      if (i < last) {
        const std::uint32_t particle = sorted.index[i];
        staged[threadIdx.x].set({sorted.points.position[particle], mesh, tile},
                                counts_of_mass * static_cast<double>(sorted.points.mass[particle]));
      } else {
        staged[threadIdx.x].clear();
      }
      __syncwarp();
      add_clouds(of_warp, static_cast<unsigned>(min(last - begin, std::size_t{warp})), tile_counts);
      __syncwarp();
    }
    __syncthreads();
    tiles::for_each_point(tile, counts.pitch, [&](unsigned point, std::size_t place) {
      const unsigned long long count = tile_counts.take(point);
      if (count != 0) atomicAdd(counts.data + place, count);
    });
    __syncthreads();
  });
}

}  // namespace

void deposit(const TiledPoints& sorted, const MeshPlaces& places, double counts_of_mass, const MeshCounts& counts,
             const Stream& stream) {
  if (sorted.points.count == 0) return;
  deposit_kernel<<<blocks_for(sorted.points.count, sorted.run), threads, 0, stream.get()>>>(sorted, places,
                                                                                            counts_of_mass, counts);
  check_cuda(cudaGetLastError(), "deposit_kernel");
}

}  // namespace multiwalk
