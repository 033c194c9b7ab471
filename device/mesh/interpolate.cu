// SPDX-License-Identifier: GPL-3.0-or-later
// A thread block copies a tile of the field to shared memory; each thread takes particles of the tile.
#include "device/base/blocks_for.cuh"
#include "device/mesh/mesh_kernels.cuh"
#include "device/mesh/tiles.cuh"

namespace multiwalk {

namespace {

using tiles::order;
using tiles::threads;

/// `values`: of the tile.
__device__ float value_at(const tiles::TileCloud& cloud, const float* values) {
  const float* const corner = values + cloud.begin;
  float along_z[order], sum = 0;
#pragma unroll
  for (int k = 0; k < order; ++k) along_z[k] = static_cast<float>(cloud.z.weight[k]);
#pragma unroll
  for (int i = 0; i < order; ++i) {
#pragma unroll
    for (int j = 0; j < order; ++j) {
      const float* const line = corner + i * tiles::step_x + j * tiles::points_z;
      float of_line = 0;
#pragma unroll
      for (int k = 0; k < order; ++k) of_line += along_z[k] * line[k];
      sum += static_cast<float>(cloud.x.weight[i] * cloud.y.weight[j]) * of_line;
    }
  }
  return sum;
}

/// Gives the field's value at a particle, the i-th in the order of tiles, to its result.
__device__ void finish(const FieldResult& result, float field, std::size_t i, std::size_t particle, const float* mass) {
  float value = 0;
  if (result.begun != nullptr) {
    value = result.begun[i];
  } else if (result.of_mass != 0) {
    value = static_cast<float>(result.of_mass * static_cast<double>(mass[particle]) + result.constant);
  }
  value += result.factor * field;
  if (result.unfinished != nullptr) {
    result.unfinished[i] = value;
    return;
  }
  const std::size_t place = particle * result.stride;
  const float old = result.sum[place], now = old + value;
  result.sum[place] = now;
  if (result.change != nullptr) result.change[place] = now - old;
}

__global__ void __launch_bounds__(threads)
    interpolate_kernel(const TiledPoints sorted, const MeshPlaces mesh, const float* __restrict__ field,
                       const FieldResult result) {
  __shared__ float values[tiles::all_points];
  const std::size_t pitch = 2 * (mesh.cells / 2 + 1);
  tiles::for_each_tile(sorted, mesh, [&](const tiles::Tile& tile, std::size_t first, std::size_t last) {
    tiles::for_each_point(tile, pitch, [&](unsigned point, std::size_t place) { values[point] = field[place]; });
    __syncthreads();
    for (std::size_t i = first + threadIdx.x; i < last; i += threads) {
      const std::uint32_t particle = sorted.index[i];
      const tiles::TileCloud cloud(sorted.points.position[particle], mesh, tile);
      finish(result, value_at(cloud, values), i, particle, sorted.points.mass);
    }
    __syncthreads();
  });
}

}  // namespace

void interpolate(const TiledPoints& sorted, const MeshPlaces& places, const float* field, const FieldResult& result,
                 const Stream& stream) {
  if (sorted.points.count == 0) return;
  interpolate_kernel<<<blocks_for(sorted.points.count, sorted.run), threads, 0, stream.get()>>>(sorted, places, field,
                                                                                                result);
  check_cuda(cudaGetLastError(), "interpolate_kernel");
}

}  // namespace multiwalk
