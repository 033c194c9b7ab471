// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of an object that sees every drift of a run's particles, such as a light cone.
#pragma once

#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// A drift that is about to be made: positions become position + factor velocity, as drifted() computes them.
struct Drift {
  double begin = 0, end = 0;  ///< expansion factors
  double factor = 0;          ///< EquationOfMotion::drift_factor(begin, end)
};

class DriftObserver {
 public:
  virtual ~DriftObserver() = default;
  /// Called before each drift with this rank's particles, which have the momenta of the drift and lie in the periodic
  /// box. Collective.
  virtual void before_drift(const ParticleStore& particles, const Drift& drift) = 0;
};

}  // namespace multiwalk
