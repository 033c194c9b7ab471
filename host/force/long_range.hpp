// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range part of a split force, as the gravity solver asks for it.
#pragma once

#include <optional>

#include "host/force/force_backend.hpp"
#include "host/mesh/mesh_force_options.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

class LongRangeForce {
 public:
  virtual ~LongRangeForce() = default;

  /// Adds this part to acceleration and potential of each of this rank's particles. Collective.
  virtual void add(ParticleStore& particles, const PairLaw& law) = 0;
  /// The mesh by which the device that has all particles may do the same; none: only add can.
  [[nodiscard]] virtual std::optional<MeshForceOptions> mesh_of(const PairLaw& /*law*/) const { return std::nullopt; }
};

}  // namespace multiwalk
