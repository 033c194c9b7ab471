// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of an object that sees every drift of a run's particles, such as a light cone.
#pragma once

#include <memory>
#include <optional>

#include "host/particles/particle_store.hpp"
#include "host/sky/passage.hpp"
#include "host/sky/sky_counter.hpp"

namespace multiwalk {

/// A drift that is about to be made: positions become position + factor velocity, as drifted() computes them.
struct Drift {
  double begin = 0, end = 0;  ///< expansion factors
  double factor = 0;          ///< EquationOfMotion::drift_factor(begin, end)
};

class DriftObserver {
 public:
  virtual ~DriftObserver() = default;
  /// Called with this rank's particles before each drift that the observer watches. Positions and momenta are those of
  /// the drift; other arrays, except ids and masses, may be out of date. Positions may lie outside the periodic box:
  /// what matters is their images in it, which have the same bits at the end of a drift and at the beginning of the
  /// next. Collective.
  virtual void before_drift(const ParticleStore& particles, const Drift& drift) = 0;
  /// The passage of which it needs the particles before this drift; nothing: it needs all of them. Called once before
  /// each drift that it watches if a back end may find them. Returns a passage on all ranks or on none. Collective.
  virtual std::optional<Passage> passage(const Drift& /*drift*/) { return std::nullopt; }
  /// Called in place of before_drift with the particles of that passage, for as long as it holds them. Masses and ids
  /// of the store are up to date during the call. Collective.
  virtual void before_passage(const std::shared_ptr<const PassingParticles>& /*passing*/,
                              const ParticleStore& /*store*/, const Drift& /*drift*/) {}
  /// Called first if a back end keeps the particles. `counter` counts crossings; null if this rank's back end cannot.
  /// True, on all ranks, if the observer needs nothing else before this drift. Collective.
  virtual bool count_kept(SkyCounter* /*counter*/, const Drift& /*drift*/) { return false; }
  /// Whether it needs the particles before this drift; the same on all ranks.
  [[nodiscard]] virtual bool watches(const Drift& /*drift*/) const { return true; }
};

}  // namespace multiwalk
