// SPDX-License-Identifier: GPL-3.0-or-later
// Particles between two snapshots of one run.
#pragma once

#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Each particle on the cubic through its positions and velocities in both snapshots (Hermite), in time or, if
/// comoving, in the integral of dt/a^2, whose derivative of the position is the momentum. Tangents longer than three
/// times the way between the two positions are cut to that, so that particles that have gone around a halo in the
/// meantime stay in it (Fritsch & Carlson 1980 limit monotone cubics in this way).
class ParticlePaths {
 public:
  /// Both with ids and velocities. Throws InputError unless both hold the same particles and the second is later.
  ParticlePaths(const ParticleSystem& before, const ParticleSystem& after, const CosmologyParameters& cosmology);

  /// Positions, masses and ids at a time between both; in a periodic box by the nearest images and inside it.
  [[nodiscard]] ParticleSystem at(double time) const;

 private:
  [[nodiscard]] double span(double from, double to) const;

  ParticleSystem frame_;  ///< of the first snapshot, with masses and ids alone
  double begin_, end_;
  Expansion expansion_;
  ParticleArray<Vec3d> start_, way_;
  ParticleArray<Vec3f> first_tangent_, last_tangent_;
};

}  // namespace multiwalk
