// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "device/base/blocks_for.cuh"
#include "device/mesh/mesh_order.cuh"
#include "device/mesh/tiles.cuh"

namespace multiwalk {

namespace {

constexpr unsigned order_threads = 256;

/// Adds the number of the warp's particles in each tile to counter[tile], once per tile; a particle's place is the old
/// value plus its rank among them. `rank_wanted`: else 0 is returned.
template <bool rank_wanted>
__device__ std::uint32_t count_up(std::uint32_t* counter, std::uint32_t tile) {
  const unsigned same = __match_any_sync(__activemask(), tile), lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(same)) - 1;
  std::uint32_t before = 0;
  if (static_cast<int>(lane) == leader) before = atomicAdd(counter + tile, __popc(same));
  if constexpr (!rank_wanted) return 0;
  return __shfl_sync(same, before, leader) + __popc(same & ((1U << lane) - 1));
}

__global__ void count_kernel(const Vec3d* position, std::size_t n, MeshPlaces mesh, std::uint32_t* count) {
  const std::size_t i = std::size_t{blockIdx.x} * order_threads + threadIdx.x;
  if (i < n) count_up<false>(count, tiles::tile_of(position[i], mesh));
}

/// Turns each tile's first place into the place after its last particle.
__global__ void place_kernel(const Vec3d* position, std::size_t n, MeshPlaces mesh, std::uint32_t* first,
                             std::uint32_t* index) {
  const std::size_t i = std::size_t{blockIdx.x} * order_threads + threadIdx.x;
  if (i < n) index[count_up<true>(first, tiles::tile_of(position[i], mesh))] = static_cast<std::uint32_t>(i);
}

/// Particles of a thread block: many, so that tiles are rarely divided, unless too few blocks would remain.
std::uint32_t run_of(std::size_t n) {
  constexpr std::size_t blocks = 4096, least = 512, most = 4096;
  return static_cast<std::uint32_t>(std::clamp(n / blocks, least, most) / tiles::threads * tiles::threads);
}

}  // namespace

bool MeshOrder::make(const MassPoints& points, double box_size, std::uint32_t cells, const Stream& stream) {
  view_ = {};
  if (points.count == 0) return true;
  const std::uint32_t all = tiles::tiles_along(cells, tiles::cells_x) * tiles::tiles_along(cells, tiles::cells_y) *
                            tiles::tiles_along(cells, tiles::cells_z);
  if (!index_.reserve(points.count, stream) || !tile_end_.reserve(all, stream)) return false;
  const MeshPlaces mesh{box_size, cells, 0};
  const unsigned blocks = blocks_for(points.count, order_threads);
  check_cuda(cudaMemsetAsync(tile_end_.data(), 0, all * sizeof(std::uint32_t), stream.get()), "cudaMemsetAsync");
  count_kernel<<<blocks, order_threads, 0, stream.get()>>>(points.position, points.count, mesh, tile_end_.data());
  check_cuda(cudaGetLastError(), "count_kernel");
  if (!sum_counts(all, stream)) return false;
  place_kernel<<<blocks, order_threads, 0, stream.get()>>>(points.position, points.count, mesh, tile_end_.data(),
                                                           index_.data());
  check_cuda(cudaGetLastError(), "place_kernel");
  view_ = {points, index_.data(), tile_end_.data(), run_of(points.count)};
  return true;
}

bool MeshOrder::sum_counts(std::uint32_t tile_count, const Stream& stream) {
  std::size_t bytes = 0;
  const auto scan = [&](void* memory) {
    check_cuda(
        cub::DeviceScan::ExclusiveSum(memory, bytes, tile_end_.data(), tile_end_.data(), tile_count, stream.get()),
        "cub::DeviceScan::ExclusiveSum");
  };
  scan(nullptr);
  if (!scratch_.reserve(bytes + 1, stream)) return false;
  scan(scratch_.data());
  scratch_.release(stream);
  return true;
}

void MeshOrder::release(const Stream& stream) {
  index_.release(stream);
  tile_end_.release(stream);
  scratch_.release(stream);
  view_ = {};
}

}  // namespace multiwalk
