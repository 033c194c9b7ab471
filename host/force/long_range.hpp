// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range part of a split force, as the gravity solver asks for it.
#pragma once

#include "host/force/force_backend.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

class LongRangeForce {
 public:
  virtual ~LongRangeForce() = default;

  /// Adds this part to acceleration and potential of each of this rank's particles. Collective.
  virtual void add(ParticleStore& particles, const PairLaw& law) = 0;
  /// Does the same to particles that devices keep, on all ranks. False, on all ranks: nothing was added. Collective.
  virtual bool add(ParticleKeeper& /*kept*/, const PairLaw& /*law*/) { return false; }
};

}  // namespace multiwalk
