// SPDX-License-Identifier: GPL-3.0-or-later
// The comoving distance of light from an observer at a = 1 during a drift of the particles.
#pragma once

#include "host/cosmology/expansion.hpp"
#include "host/time/drift_observer.hpp"

namespace multiwalk {

/// c int dt/a from a to 1, comoving Mpc/h; negative for a > 1.
double light_distance(const Expansion& expansion, double a);

/// The expansion factor at which the light was at a comoving distance >= 0, Mpc/h.
double departure(const Expansion& expansion, double distance);

/// A cubic polynomial on 0 <= u <= 1 with given values and slopes at both ends.
class Cubic {
 public:
  Cubic(double value0, double slope0, double value1, double slope1)
      : c0_(value0),
        c1_(slope0),
        c2_(3 * (value1 - value0) - 2 * slope0 - slope1),
        c3_(2 * (value0 - value1) + slope0 + slope1) {}
  [[nodiscard]] double operator()(double u) const { return c0_ + u * (c1_ + u * (c2_ + u * c3_)); }
  [[nodiscard]] double slope(double u) const { return c1_ + u * (2 * c2_ + 3 * u * c3_); }

 private:
  double c0_, c1_, c2_, c3_;
};

/// Distance of the light and expansion factor as functions of the completed fraction u of a drift. Positions are linear
/// in u, because u is proportional to int dt/a^2; hence d distance/du = -c a factor and da/du = a^3 H factor. In a step
/// of 0.05 in ln a the error of the interpolated distance is about 1e-7 of the distance that the light travels.
struct LightPath {
  LightPath(const Expansion& expansion, const Drift& drift);

  double begin, end;  ///< distances at both ends; bitwise equal in all drifts for the same time
  Cubic distance, a;
};

}  // namespace multiwalk
