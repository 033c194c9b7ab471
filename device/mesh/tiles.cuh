// SPDX-License-Identifier: GPL-3.0-or-later
// Device code of tiles: which tile a particle lies in, and a tile's points in shared memory.
#pragma once

#include "device/mesh/mesh_kernels.cuh"
#include "host/mesh/mass_assignment.hpp"

namespace multiwalk::tiles {

constexpr int order = static_cast<int>(Assignment::pcs);
constexpr unsigned threads = 128;

/// Cells of a tile, and points that the clouds of its particles touch: along an axis one before the cells and two after
/// them, and one more before on the mesh that is shifted by half a cell. In shared memory point (x, y, z) is at
/// (x points_y + y) points_z + z: the 32 points of two planes of a cloud lie in different banks.
constexpr std::uint32_t cells_x = 8, cells_y = 8, cells_z = 16;
constexpr std::uint32_t before = 2, margin = before + 2;
constexpr std::uint32_t points_y = cells_y + margin, points_z = cells_z + margin, step_x = points_y * points_z;
constexpr std::uint32_t all_points = (cells_x + margin) * step_x;
static_assert(step_x % 32 == 16 && (points_z % 16 == 4 || points_z % 16 == 12));

MULTIWALK_HOST_DEVICE std::uint32_t tiles_along(std::uint32_t cells, std::uint32_t side) {
  return (cells + side - 1) / side;
}

/// As mesh_place, with every rounding prescribed: all kernels find a particle in the same cell. 0 for a coordinate that
/// is not finite: the particle's pair forces will reveal it.
__device__ inline double place_of(double coordinate, const MeshPlaces& mesh) {
  const double turns = __ddiv_rn(coordinate, mesh.box_size), cells = mesh.cells;
  double place = __fma_rn(__dsub_rn(turns, floor(turns)), cells, -mesh.shift);
  if (place < 0) place = __dadd_rn(place, cells);
  return place >= 0 && place <= cells ? place : 0;
}

/// x / 6, correctly rounded (Markstein 1990) unless x is nearly 0.
__device__ inline double sixth(double x) {
  constexpr double reciprocal = 1.0 / 6;
  const double near = __dmul_rn(x, reciprocal);
  return __fma_rn(__fma_rn(-6, near, x), reciprocal, near);
}

/// As cloud_shares<order>(place_of(...)), bit for bit, without its divisions.
__device__ inline CloudShares<order> shares_of(double coordinate, const MeshPlaces& mesh) {
  const double place = place_of(coordinate, mesh);
  const auto base = static_cast<std::int64_t>(place);
  const double d = place - static_cast<double>(base), e = 1 - d;
  return {base - 1,
          {sixth(e * e * e), sixth(4 + 3 * d * d * (d - 2)), sixth(4 + 3 * e * e * (e - 2)), sixth(d * d * d)}};
}

/// Tile (x, y, z) has number (x tiles_y + y) tiles_z + z. The mesh is not shifted.
__device__ inline std::uint32_t tile_of(const Vec3d& p, const MeshPlaces& mesh) {
  const auto along = [&](double coordinate, std::uint32_t side) {
    return periodic_point(static_cast<std::int64_t>(place_of(coordinate, mesh)), mesh.cells) / side;
  };
  return (along(p.x, cells_x) * tiles_along(mesh.cells, cells_y) + along(p.y, cells_y)) *
             tiles_along(mesh.cells, cells_z) +
         along(p.z, cells_z);
}

/// A tile along one axis: cells first, first + 1, ..., fewer at the end of the mesh.
struct TileAxis {
  int first, count, mesh_cells;

  __device__ TileAxis(std::uint32_t number, std::uint32_t side, std::uint32_t cells)
      : first(static_cast<int>(number * side)),
        count(min(static_cast<int>(side), static_cast<int>(cells) - first)),
        mesh_cells(static_cast<int>(cells)) {}

  [[nodiscard]] __device__ unsigned points() const { return static_cast<unsigned>(count) + margin; }
  /// The point of the mesh that is stored as the tile's point i.
  [[nodiscard]] __device__ std::uint32_t mesh_point(unsigned i) const {
    const int point = first + static_cast<int>(i) - static_cast<int>(before);
    return static_cast<std::uint32_t>(point < 0             ? point + mesh_cells
                                      : point >= mesh_cells ? point - mesh_cells
                                                            : point);
  }
  /// The tile's point at which a cloud begins; its particle is in a cell of the tile or, on the shifted mesh, in the
  /// one before these.
  [[nodiscard]] __device__ unsigned begin_of(std::int64_t cloud_first) const {
    const std::int64_t cell = cloud_first + 1;  // 0 to mesh_cells
    int within = static_cast<int>(cell == mesh_cells ? 0 : cell) - first;
    if (within >= count) within -= mesh_cells;
    return static_cast<unsigned>(within + 1);
  }
};

struct Tile {
  TileAxis x, y, z;

  __device__ Tile(std::uint32_t number, std::uint32_t cells)
      : x(number / tiles_along(cells, cells_z) / tiles_along(cells, cells_y), cells_x, cells),
        y(number / tiles_along(cells, cells_z) % tiles_along(cells, cells_y), cells_y, cells),
        z(number % tiles_along(cells, cells_z), cells_z, cells) {}
};

/// A particle's cloud and where it begins in the tile's memory.
struct TileCloud {
  CloudShares<order> x, y, z;
  unsigned begin;

  __device__ TileCloud(const Vec3d& p, const MeshPlaces& mesh, const Tile& tile)
      : x(shares_of(p.x, mesh)),
        y(shares_of(p.y, mesh)),
        z(shares_of(p.z, mesh)),
        begin((tile.x.begin_of(x.first) * points_y + tile.y.begin_of(y.first)) * points_z + tile.z.begin_of(z.first)) {}
};

/// Calls act(tile, first, last) for the block's particles of each tile: first to last - 1 in the order of tiles. Every
/// thread of the block calls it with the same arguments.
template <class Act>
__device__ void for_each_tile(const TiledPoints& sorted, const MeshPlaces& mesh, const Act& act) {
  const MeshPlaces unshifted{mesh.box_size, mesh.cells, 0};
  std::size_t first = std::size_t{blockIdx.x} * sorted.run;
  const std::size_t end = min(first + sorted.run, sorted.points.count);
  while (first < end) {
    const std::uint32_t number = tile_of(sorted.points.position[sorted.index[first]], unshifted);
    const std::size_t last = min(end, std::size_t{sorted.tile_end[number]});
    act(Tile(number, mesh.cells), first, last);
    first = last;
  }
}

/// Calls act(place in the tile's memory, place in the mesh's, whose lines along z lie `pitch` elements apart) for the
/// tile's points, which the block's threads share: neighbours along z go to neighbours.
template <class Act>
__device__ void for_each_point(const Tile& tile, std::size_t pitch, const Act& act) {
  constexpr unsigned lines = threads / points_z;
  static_assert(points_y % lines == 0);
  const unsigned z = threadIdx.x % points_z, first_y = threadIdx.x / points_z;
  if (first_y >= lines || z >= tile.z.points()) return;
  const std::size_t column = tile.z.mesh_point(z);
#pragma unroll 4
  for (unsigned x = 0; x < tile.x.points(); ++x) {
    const std::size_t plane = std::size_t{tile.x.mesh_point(x)} * static_cast<unsigned>(tile.x.mesh_cells);
#pragma unroll
    for (unsigned l = 0; l < points_y / lines; ++l) {
      const unsigned y = first_y + l * lines;
      if (y < tile.y.points()) {
        act(x * step_x + y * points_z + z, (plane + tile.y.mesh_point(y)) * pitch + column);
      }
    }
  }
}

}  // namespace multiwalk::tiles
