// SPDX-License-Identifier: GPL-3.0-or-later
// Multipole acceptance criteria as opening radii: a cell is accepted if its centre of mass is farther than its radius
// from the group's box (a single particle's box is a point). A cell that contains the group is always opened, by the
// walk.
#pragma once

#include <cmath>
#include <cstdint>

#include "host/base/host_device.hpp"
#include "host/tree/gravity_options.hpp"

namespace multiwalk {

/// Distance beyond which a cell may be used. `side`: cell side; `offset`: |centre of mass - cell centre|.
/// bh86, barnes90: s/theta (Barnes & Hut 1986; Barnes 1990); offset: s/theta + offset (Bedorf et al. 2012);
/// relative: s, the outer bound of the criterion below.
MULTIWALK_HOST_DEVICE double opening_radius(Mac mac, double theta, double side, double offset) {
  switch (mac) {
    case Mac::bh86:
    case Mac::barnes90:
      return side / theta;
    case Mac::offset:
      return side / theta + offset;
    case Mac::relative:
      return side;
  }
  return 0;
}

/// Relative criterion (Springel 2005 eq. 18): G M s^2 / d^4 < alpha |a|, written d^2 > cell strength x group scale.
MULTIWALK_HOST_DEVICE double relative_strength(double gravitational_constant, double mass, double side) {
  return std::sqrt(gravitational_constant * mass) * side;
}
inline double relative_scale(double alpha, double smallest_acceleration) {
  return smallest_acceleration > 0 ? 1 / std::sqrt(alpha * smallest_acceleration) : 1e300;
}

/// Cells of so few particles are taken apart: that is exact and costs no more than their multipole.
MULTIWALK_HOST_DEVICE std::uint32_t always_opened_count(MultipoleOrder order) {
  return order == MultipoleOrder::monopole ? 1 : 2;
}

}  // namespace multiwalk
