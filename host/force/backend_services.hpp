// SPDX-License-Identifier: GPL-3.0-or-later
// Work besides walks that a back end may take on, on a device. If a function returns false, it has added nothing and
// leaves the work to the host, because the back end cannot do it or lacks the memory.
#pragma once

#include <span>

#include "host/base/vec3.hpp"
#include "host/force/tree_exchange.hpp"
#include "host/gravity/pair_law.hpp"
#include "host/mesh/mesh_force_options.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// The long-range force of a box, by a mesh.
class MeshBackend {
 public:
  /// Throws Error if a library that add_mesh_force would need is missing: known before a run has begun.
  virtual void require_libraries(const MeshForceOptions& options) = 0;
  /// Adds the contribution of the mesh (as decomposition/mesh/mesh_force.hpp, in single precision) to accelerations and
  /// potentials of the particles of a box, wherever they are. Of kept ones with rungs it also becomes
  /// long_range. others: of the ranks that have the rest of them, all of which call this and return the same; null:
  /// there are none.
  virtual bool add_mesh_force(ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options,
                              TreeExchange* others) = 0;

 protected:
  ~MeshBackend() = default;
};

/// Sums over all pairs, for measured errors of forces.
class ExactPulls {
 public:
  /// Adds to sums (targets) the pull of these particles at `targets`, without G, in double precision, by direct
  /// summation or, in a box, by Ewald summation (host/exact/ewald.hpp).
  virtual bool add_exact_pulls(std::span<const Vec3d> position, std::span<const float> mass, const PairLaw& law,
                               std::span<const Vec3d> targets, std::span<Vec3d> sums) = 0;

 protected:
  ~ExactPulls() = default;
};

}  // namespace multiwalk
