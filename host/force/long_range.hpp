// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range part of a split force, from a mesh or a sum of modes, as the gravity solver asks for it.
#pragma once

#include "host/force/force_backend.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

class LongRangeForce {
 public:
  virtual ~LongRangeForce() = default;

  /// Adds this part to acceleration and potential of each of this rank's particles. Collective.
  virtual void add(ParticleStore& particles, const PairLaw& law) = 0;
  /// Adds it to the particles that the back end keeps (ParticleKeeper). False: it cannot, and nothing has changed.
  [[nodiscard]] virtual bool add_to_kept(const PairLaw& /*law*/) { return false; }
};

}  // namespace multiwalk
