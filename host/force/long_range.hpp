// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range part of a split force, as the gravity solver asks for it.
#pragma once

#include "host/gravity/pair_law.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

class LongRangeForce {
 public:
  virtual ~LongRangeForce() = default;

  /// Adds this part to acceleration and potential of each of this rank's particles. Collective.
  virtual void add(ParticleStore& particles, const PairLaw& law) = 0;
  /// Has devices add it to particles that they keep or that are in host memory; of kept ones with rungs it also becomes
  /// long_range. False: nothing has changed, because the devices cannot. Returns the same on all ranks; collective.
  virtual bool add_on_device(ParticleStore& particles, const PairLaw& law) = 0;
};

}  // namespace multiwalk
