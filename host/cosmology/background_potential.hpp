// SPDX-License-Identifier: GPL-3.0-or-later
// The potential of the background that comoving spheres in vacuum move in.
#pragma once

#include "host/base/units.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// What is added to -G sum m/R (comoving) at x: in a comoving sphere in vacuum the background, whose pull is
/// + 1/2 Omega_m H0^2 x (Quinn et al. 1997 without the mean of a periodic box); else nothing.
inline double background_potential(const ParticleSystem& system, const CosmologyParameters& cosmology, Vec3d x) {
  if (system.frame == Frame::newtonian || system.boundary == Boundary::periodic) return 0;
  return -0.25 * cosmology.omega_m * units::hubble_100 * units::hubble_100 * norm2(x);
}

}  // namespace multiwalk
