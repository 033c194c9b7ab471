// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range force of a periodic box on one device, or on one of each rank: as decomposition/mesh/mesh_force.hpp,
// in single precision. Each device has the whole mesh: it adds its own particles to it, the meshes are added up, and
// each transforms the sum and reads the forces on its own particles.
#pragma once

#include <cstdint>
#include <memory>

#include "device/base/device_buffer.cuh"
#include "device/base/result_pieces.cuh"
#include "device/mesh/mesh_kernels.cuh"
#include "device/mesh/mesh_order.cuh"
#include "device/mesh/mesh_transform.cuh"
#include "device/mesh/sum_over_ranks.cuh"
#include "host/gravity/pair_law.hpp"
#include "host/mesh/mesh_force_options.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// Results of particles in device memory, to which the mesh's contribution is added.
struct MeshResults {
  Vec3f* acceleration;
  float* potential;
  Vec3f* long_range;  ///< becomes the change of `acceleration`, new minus old in single precision; null: not wanted
};

/// Piecewise cubic splines only. Bitwise repeatable, and independent of the order of particles in memory and of ranks.
/// Memory during a call: 4 bytes per particle (interlaced: 8) and 44 more for a store; 8 bytes per cell (interlaced:
/// 12); the working memory of transforms. Between calls SumOverRanks' only. Where there are other ranks, all calls are
/// collective and return the same on all ranks.
class DeviceMesh {
 public:
  explicit DeviceMesh(DeviceMemory& memory);

  /// Whether devices can assign masses to the mesh in this way.
  [[nodiscard]] static bool handles(const MeshForceOptions& options) { return options.assignment == Assignment::pcs; }
  /// Adds to acceleration and potential of the particles. False, and nothing is added, if the device lacks the memory,
  /// the assignment is another one, a mass is not finite or none is above 0. Waits for the stream. others: of the
  /// ranks that have the rest of the particles; null: there are none.
  [[nodiscard]] bool operator()(ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options,
                                TreeExchange* others, const Stream& stream);
  /// Does this for fewer than 2^32 particles in the memory of the device, which is current. Results are complete in the
  /// order of the stream. Particles that lie near each other are faster if they do so in memory, too.
  [[nodiscard]] bool add(const MassPoints& points, const PairLaw& law, const MeshForceOptions& options,
                         const MeshResults& results, TreeExchange* others, const Stream& stream);
  /// For other sums on the same mesh of all ranks.
  [[nodiscard]] SumOverRanks& over_ranks() { return over_ranks_; }

 private:
  /// Masses in whole numbers, so that sums do not depend on their order.
  struct MassCounts {
    double of_mass = 1;  ///< counts per unit of mass, a power of two
    double total = 0;    ///< counts of all ranks' particles
    [[nodiscard]] double mass() const { return total / of_mass; }
  };

  /// The particles in device memory, and results that are 0.
  [[nodiscard]] bool bring_particles(const ParticleStore& particles, const Stream& stream);
  [[nodiscard]] bool count_masses(const MassPoints& points, TreeExchange* others, const Stream& stream);
  /// The modes of the potential, and the memory behind them, for a field or the modes of the shifted mesh.
  [[nodiscard]] float* modes() const { return meshes_.data(); }
  [[nodiscard]] float* field() const { return meshes_.data() + transform_->size(); }
  /// The modes of the density contrast on a mesh shifted by `shift` cells. Uses the memory of two meshes, for counts.
  void find_modes(const PairLaw& law, double shift, float* mesh, TreeExchange* others, const Stream& stream);
  /// Reserves all memory that find_potential and find_forces need.
  [[nodiscard]] bool reserve(const MeshForceOptions& options, const Stream& stream);
  void find_potential(const PairLaw& law, const MeshForceOptions& options, TreeExchange* others, const Stream& stream);
  void find_forces(const PairLaw& law, const MeshForceOptions& options, const MeshResults& results,
                   const Stream& stream);
  /// Copies a few pieces at a time.
  void add_results(ParticleStore& particles, const Stream& stream);
  void release_mesh(const Stream& stream);
  void release_particles(const Stream& stream);

  // Used for a store in host memory.
  DeviceBuffer<Vec3d> position_;
  DeviceBuffer<float> mass_, potential_;
  DeviceBuffer<Vec3f> acceleration_;
  ResultPieces pieces_;
  // Used for all particles.
  MeshOrder order_;
  MassCounts masses_;
  DeviceBuffer<unsigned long long> sum_;
  DeviceBuffer<float> meshes_, factor_, first_mesh_;
  DeviceBuffer<std::byte> work_;
  std::unique_ptr<MeshTransform> transform_;
  SumOverRanks over_ranks_;
};

}  // namespace multiwalk
