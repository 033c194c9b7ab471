// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the modes of a density in shells of wavenumber on one device: as analysis/power on the host, in double
// precision.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "device/base/device_buffer.cuh"
#include "device/mesh/mesh_kernels.cuh"
#include "device/mesh/mesh_order.cuh"
#include "device/mesh/mesh_transform.cuh"
#include "device/mesh/spectrum_kernels.cuh"
#include "host/mesh/shell_sums.hpp"

namespace multiwalk {

/// Piecewise cubic splines only. The same bits every time, and for all orders of equal masses in memory. Memory during
/// a call: 8 bytes per cell (interlaced: 16) and then 4 per particle or cuFFT's working memory (8 per cell or more);
/// none between calls.
class DeviceSpectrum {
 public:
  explicit DeviceSpectrum(DeviceMemory& memory)
      : order_(memory),
        mesh_{Mesh(memory), Mesh(memory)},
        work_(memory),
        masses_(memory),
        factor_(memory),
        part_(memory) {}

  /// The sums for fewer than 2^32 particles in the memory of the device, which is current. Nothing if the device lacks
  /// the memory, the assignment is another one, the mesh has fewer than 8 or more than 4096 cells per side, a mass is
  /// not finite or below 0, or none is above 0. Waits for the stream.
  [[nodiscard]] std::optional<ShellSums> operator()(const MassPoints& points, double box_size,
                                                    const ShellOptions& options, const Stream& stream);

 private:
  /// Counts of mass and, in the same place, values and modes.
  using Mesh = DeviceBuffer<unsigned long long>;

  /// The sums over all particles; nothing if the device is full.
  [[nodiscard]] std::optional<MassSum> sum_all_masses(const MassPoints& points, const Stream& stream);
  /// `side`: of the folded box.
  [[nodiscard]] bool find_modes(const MassPoints& points, const MassSum& masses, double side,
                                const ShellOptions& options, const Stream& stream);
  [[nodiscard]] bool find_sums(const ShellOptions& options, ShellSums& sums, const Stream& stream);
  void release(const Stream& stream);

  MeshOrder order_;
  std::array<Mesh, 2> mesh_;
  DeviceBuffer<std::byte> work_;
  DeviceBuffer<MassSum> masses_;
  DeviceBuffer<double> factor_;
  DeviceBuffer<ShellPart> part_;
  std::unique_ptr<FineTransform> transform_;
};

}  // namespace multiwalk
