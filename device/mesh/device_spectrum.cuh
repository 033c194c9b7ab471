// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the modes of a density in shells of wavenumber on one device, or on one of each rank: as analysis/power on
// the host, in double precision. On several ranks each device has the whole mesh, as for forces
// (device/mesh/device_mesh.cuh).
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
#include "device/mesh/sum_over_ranks.cuh"
#include "host/mesh/shell_sums.hpp"

namespace multiwalk {

/// Piecewise cubic splines only. The same bits every time, and for all orders of equal masses in memory. Memory during
/// a call: 8 bytes per cell (interlaced: 16) and then 4 per particle or cuFFT's working memory (8 per cell or more);
/// none between calls.
class DeviceSpectrum {
 public:
  DeviceSpectrum(DeviceMemory& memory, SumOverRanks& over_ranks)
      : over_ranks_(&over_ranks),
        order_(memory),
        mesh_{Mesh(memory), Mesh(memory)},
        work_(memory),
        masses_(memory),
        factor_(memory),
        part_(memory) {}

  /// The sums for fewer than 2^32 particles in the memory of the device, which is current. Nothing if the device lacks
  /// the memory, the assignment is another one, the mesh has fewer than 8 or more than 4096 cells per side, a mass is
  /// not finite or below 0, or none is above 0. Waits for the stream. others: of the ranks that have the rest of the
  /// particles (null: there are none), all of which call this and return the same.
  [[nodiscard]] std::optional<ShellSums> operator()(const MassPoints& points, double box_size,
                                                    const ShellOptions& options, TreeExchange* others,
                                                    const Stream& stream);

 private:
  /// Counts of mass and, in the same place, values and modes.
  using Mesh = DeviceBuffer<unsigned long long>;

  struct Masses {
    MassSum sum;
    std::uint64_t count = 0;  ///< of particles
  };

  /// Sums the masses of this rank's particles; the sums are infinite if the device is full.
  [[nodiscard]] MassSum sum_own_masses(const MassPoints& points, const Stream& stream);
  [[nodiscard]] Masses sum_all_masses(const MassPoints& points, TreeExchange* others, const Stream& stream);
  /// Makes the contrasts of meshes of `side`, that of the folded box. False, on all ranks: one lacks the memory.
  [[nodiscard]] bool find_contrasts(const MassPoints& points, const Masses& masses, double side,
                                    const ShellOptions& options, TreeExchange* others, const Stream& stream);
  [[nodiscard]] bool find_modes(const ShellOptions& options, const Stream& stream);
  [[nodiscard]] bool find_sums(const ShellOptions& options, ShellSums& sums, const Stream& stream);
  void release(const Stream& stream);

  SumOverRanks* over_ranks_;
  MeshOrder order_;
  std::array<Mesh, 2> mesh_;
  DeviceBuffer<std::byte> work_;
  DeviceBuffer<MassSum> masses_;
  DeviceBuffer<double> factor_;
  DeviceBuffer<ShellPart> part_;
  std::unique_ptr<FineTransform> transform_;
};

}  // namespace multiwalk
