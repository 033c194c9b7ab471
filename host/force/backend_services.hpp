// SPDX-License-Identifier: GPL-3.0-or-later
// Work besides walks that a back end may take on, on a device. If a function returns false, it has added nothing and
// leaves the work to the host, because the back end cannot do it or lacks the memory.
#pragma once

#include <span>

#include "host/base/vec3.hpp"
#include "host/gravity/pair_law.hpp"
#include "host/mesh/mesh_force_options.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

class MeshBackend {
 public:
  virtual ~MeshBackend() = default;

  /// Adds the contribution of the mesh (as decomposition/mesh/mesh_force.hpp, in single precision) to accelerations and
  /// potentials of the particles of a box.
  virtual bool add_mesh_force(ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options) = 0;
};

class ExactPulls {
 public:
  virtual ~ExactPulls() = default;

  /// Adds to sums (targets) the pull of these particles at `targets`, without G, in double precision, by direct
  /// summation or, in a box, by Ewald summation (host/exact/ewald.hpp).
  virtual bool add_exact_pulls(std::span<const Vec3d> position, std::span<const float> mass, const PairLaw& law,
                               std::span<const Vec3d> targets, std::span<Vec3d> sums) = 0;
};

/// Sums over particles that have just been kicked, in double precision.
struct KickSums {
  double velocity_square = 0;  ///< sum m u^2
  double pair_potential = 0;   ///< sum m phi
  double position_square = 0;  ///< sum m x^2
  double largest_pull2 = 0;    ///< largest |acceleration + background x|^2, infinite if one is not finite
};

/// Keeps the particles of a store in a device's memory from one step to the next. Evaluations of the forces on all of
/// them, by their own tree in a vacuum, then read and write the kept copy, and the store does not change.
class ParticleKeeper {
 public:
  virtual ~ParticleKeeper() = default;

  /// Keeps the particles of this store from now on; those of another are copied back first. The store must stay
  /// where it is. False if it cannot, or lacks the memory; nothing is kept then.
  virtual bool keep(ParticleStore& particles) = 0;
  [[nodiscard]] virtual bool keeps(const ParticleStore& particles) const = 0;

  /// kick() of all particles, then drift(), as host/time/leapfrog.hpp has them, with the same bits.
  virtual void kick_and_drift(double kick_factor, double background, double drift_factor) = 0;
  /// kick() of all particles, then the sums, which are reproducible bit for bit.
  virtual KickSums kick_and_sum(double factor, double background) = 0;

  /// Brings the store up to date, unless it is; the particles stay kept. The store may be read, but not changed.
  virtual void copy_home() = 0;
  /// Stops keeping particles; results not yet copied to the store are lost.
  virtual void forget() noexcept = 0;
};

}  // namespace multiwalk
