// SPDX-License-Identifier: GPL-3.0-or-later
// Kicks, drifts and rungs of this rank's particles, wherever they are: in the store, or kept by a back end.
#pragma once

#include "host/force/force_backend.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/time/rungs.hpp"

namespace multiwalk {

/// The functions are those of host/time/leapfrog.hpp and host/time/rungs.hpp, with the same bits in both places.
class ParticleMotion {
 public:
  /// Both must outlive it.
  ParticleMotion(ParticleStore& store, ForceBackend& backend) : store_(store), backend_(backend) {}
  ~ParticleMotion();
  ParticleMotion(const ParticleMotion&) = delete;
  ParticleMotion& operator=(const ParticleMotion&) = delete;

  /// Leaves the particles to the back end from now on, if it can keep them.
  void leave_to_keeper();
  /// The keeper, if the back end has one and it keeps the particles; null: they are in the store.
  [[nodiscard]] ParticleKeeper* keeper() const;
  /// Brings the store up to date; it may be read, but not changed.
  void bring_store_up_to_date() const;
  /// Brings positions and velocities up to date in the store.
  void bring_motion_up_to_date() const;
  /// From now on the particles are in the store.
  void bring_home();

  void kick_and_drift(double kick_factor, double background, double drift_factor);
  void drift(double factor);
  void wrap(double side);
  PerRung<std::uint64_t> assign_rungs(const RungCriterion& criterion, double background, int synchronised);
  void kick_rungs(const PerRung<double>& factor, double background, int least);
  void kick_long_range(double factor);

 private:
  ParticleStore& store_;
  ForceBackend& backend_;
};

}  // namespace multiwalk
