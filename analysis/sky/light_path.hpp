// SPDX-License-Identifier: GPL-3.0-or-later
// The comoving distance of light from an observer at a = 1 during a drift of the particles.
#pragma once

#include "host/cosmology/expansion.hpp"
#include "host/sky/light_rays.hpp"
#include "host/time/drift_observer.hpp"

namespace multiwalk {

/// c int dt/a from a to 1, comoving Mpc/h; negative for a > 1.
double light_distance(const Expansion& expansion, double a);

/// The expansion factor at which the light was at a comoving distance >= 0, Mpc/h.
double departure(const Expansion& expansion, double distance);

/// Distance of the light and expansion factor as functions of the completed fraction u of a drift. Positions are linear
/// in u, because u is proportional to int dt/a^2; hence d distance/du = -c a factor and da/du = a^3 H factor. In a step
/// of 0.05 in ln a the error of the interpolated distance is about 1e-7 of the distance that the light travels.
struct LightPath {
  LightPath(const Expansion& expansion, const Drift& drift);

  double begin, end;  ///< distances at both ends; bitwise equal in all drifts for the same time
  Cubic distance, a;
};

}  // namespace multiwalk
