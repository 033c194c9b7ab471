// SPDX-License-Identifier: GPL-3.0-or-later
// Particles in the order of the mesh's tiles: blocks of cells whose particles a thread block handles together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/device_buffer.cuh"
#include "device/mesh/mesh_kernels.cuh"

namespace multiwalk {

/// Sorts by counting; the order within a tile is not defined. 4 bytes per particle and per tile.
class MeshOrder {
 public:
  explicit MeshOrder(DeviceMemory& memory) : index_(memory), tile_end_(memory), scratch_(memory) {}

  /// Sorts fewer than 2^32 particles, by the tiles of the mesh that is not shifted. False: the device is full.
  [[nodiscard]] bool make(const MassPoints& points, double box_size, std::uint32_t cells, const Stream& stream);
  [[nodiscard]] TiledPoints view() const { return view_; }
  void release(const Stream& stream);

 private:
  [[nodiscard]] bool sum_counts(std::uint32_t tile_count, const Stream& stream);

  DeviceBuffer<std::uint32_t> index_, tile_end_;
  DeviceBuffer<std::byte> scratch_;
  TiledPoints view_{};
};

}  // namespace multiwalk
