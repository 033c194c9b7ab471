// SPDX-License-Identifier: GPL-3.0-or-later
// The potential of the smooth background around comoving spheres in a vacuum.
#pragma once

#include "host/base/units.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// To be added to -G sum m/R (comoving) at x: for a comoving sphere in a vacuum the background, which accelerates by
/// +1/2 Omega_m H0^2 x (Quinn et al. 1997 without the mean of a periodic box); otherwise 0.
inline double background_potential(const ParticleSystem& system, const CosmologyParameters& cosmology, Vec3d x) {
  if (system.frame == Frame::newtonian || system.boundary == Boundary::periodic) return 0;
  return -0.25 * cosmology.omega_m * units::hubble_100 * units::hubble_100 * norm2(x);
}

}  // namespace multiwalk
