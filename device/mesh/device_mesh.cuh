// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range force of a periodic box on one device: as decomposition/mesh/mesh_force.hpp, in single precision.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "device/base/device_buffer.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/mesh/mesh_kernels.cuh"
#include "device/mesh/mesh_transform.cuh"
#include "host/gravity/pair_law.hpp"
#include "host/mesh/mesh_force_options.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// Piecewise cubic splines only. Bitwise repeatable. Memory during a call: 44 bytes per particle; 12 bytes per cell
/// and, later, 8 and cuFFT's working memory (4 or more), 4 more if interlaced; none between calls.
class DeviceMesh {
 public:
  explicit DeviceMesh(DeviceMemory& memory);

  /// Adds to acceleration and potential of the particles. False, and nothing is added, if the device lacks the memory,
  /// the assignment is another one, a mass is not finite or none is above 0. Waits for the stream.
  [[nodiscard]] bool operator()(ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options,
                                const Stream& stream);

 private:
  [[nodiscard]] MassPoints particles_there() const { return {position_.data(), mass_.data(), particles_}; }
  [[nodiscard]] bool bring_particles(const ParticleStore& particles, const Stream& stream);
  /// Of the density's contrast on a mesh shifted by `shift` cells; `counts` to a unit of mass, `total` of them.
  [[nodiscard]] bool find_modes(const PairLaw& law, double shift, double counts, double total,
                                DeviceBuffer<float>& mesh, const Stream& stream);
  [[nodiscard]] bool find_potential(const PairLaw& law, const MeshForceOptions& options, double counts, double total,
                                    const Stream& stream);
  [[nodiscard]] bool find_forces(const PairLaw& law, const MeshForceOptions& options, double mean_density,
                                 const Stream& stream);
  /// Copies a few pieces at a time.
  void add_results(ParticleStore& particles, const Stream& stream);
  void release(const Stream& stream);

  /// A part of the results that is being copied.
  struct Piece {
    PinnedBuffer<Vec3f> acceleration;
    PinnedBuffer<float> potential;
    Event there;
  };

  DeviceBuffer<Vec3d> position_;
  DeviceBuffer<float> mass_, acceleration_, potential_;
  DeviceBuffer<unsigned long long> counts_;
  DeviceBuffer<float> modes_, field_, factor_;
  DeviceBuffer<std::byte> work_;
  std::unique_ptr<MeshTransform> transform_;
  std::size_t particles_ = 0;
  std::array<Piece, 2> piece_;
};

}  // namespace multiwalk
