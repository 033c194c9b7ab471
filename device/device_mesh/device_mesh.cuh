// The long-range force of a periodic box on one device: as decomposition/mesh_force.hpp, in single precision.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device/device_buffer.cuh"
#include "device/device_mesh/mesh_kernels.cuh"
#include "device/device_mesh/mesh_transform.cuh"
#include "host/force/force_backend.hpp"

namespace multiwalk {

/// Piecewise cubic splines only. Bitwise repeatable. Memory during a call: 44 bytes a particle; 12 bytes a cell and,
/// later, 8 and what cuFFT works with (4 or more), 4 more interlaced; none between calls.
class DeviceMesh {
 public:
  explicit DeviceMesh(DeviceMemory& memory);

  /// Sets acceleration and potential (N) of the particles. False, and nothing is set, if the device has not the memory,
  /// the assignment is another or the masses have no finite sum above 0. Waits for the stream.
  [[nodiscard]] bool operator()(const ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options,
                                std::span<Vec3f> acceleration, std::span<float> potential, const Stream& stream);

 private:
  [[nodiscard]] bool bring_particles(const ParticleStore& particles, const Stream& stream);
  /// Of the density's contrast on a mesh shifted by `shift` cells; `counts` to a unit of mass, `total` of them.
  [[nodiscard]] bool find_modes(const PairLaw& law, double shift, double counts, double total,
                                DeviceBuffer<float>& mesh, const Stream& stream);
  [[nodiscard]] bool find_potential(const PairLaw& law, const MeshForceOptions& options, double counts, double total,
                                    const Stream& stream);
  [[nodiscard]] bool find_forces(const PairLaw& law, const MeshForceOptions& options, double mean_density,
                                 const Stream& stream);
  void release(const Stream& stream);

  DeviceBuffer<Vec3d> position_;
  DeviceBuffer<float> mass_, acceleration_, potential_;
  DeviceBuffer<unsigned long long> counts_;
  DeviceBuffer<float> modes_, field_, factor_;
  DeviceBuffer<std::byte> work_;
  std::unique_ptr<MeshTransform> transform_;
  std::size_t particles_ = 0;
};

}  // namespace multiwalk
