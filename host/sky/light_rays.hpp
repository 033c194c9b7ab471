// SPDX-License-Identifier: GPL-3.0-or-later
// Light on its way to an observer during a drift of the particles. One source for host and device.
#pragma once

#include <cmath>

#include "host/base/host_device.hpp"

namespace multiwalk {

/// A cubic polynomial on 0 <= u <= 1 with given values and slopes at both ends.
class Cubic {
 public:
  Cubic(double value0, double slope0, double value1, double slope1)
      : c0_(value0),
        c1_(slope0),
        c2_(3 * (value1 - value0) - 2 * slope0 - slope1),
        c3_(2 * (value0 - value1) + slope0 + slope1) {}
  [[nodiscard]] MULTIWALK_HOST_DEVICE double operator()(double u) const {
    return c0_ + u * (c1_ + u * (c2_ + u * c3_));
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE double slope(double u) const { return c1_ + u * (2 * c2_ + 3 * u * c3_); }

 private:
  double c0_, c1_, c2_, c3_;
};

MULTIWALK_HOST_DEVICE double signed_square(double x) {
  return x * std::fabs(x);
}

/// Distance of the light from the observer and expansion factor as functions of the completed fraction u of a drift, as
/// the search for meetings needs them.
struct LightRays {
  Cubic distance, a;
  double begin, end;  ///< signed squares of the distances at both ends
  double bend;        ///< how far the squares deviate from a straight line

  LightRays(const Cubic& light, const Cubic& expansion)
      : distance(light), a(expansion), begin(signed_square(light(0))), end(signed_square(light(1))) {
    const double half = signed_square(light(0.5));
    bend = begin > end ? 4 * (0.5 - (begin - half) / (begin - end)) : 0;
  }
};

}  // namespace multiwalk
