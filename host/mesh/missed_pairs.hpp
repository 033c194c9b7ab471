// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of a split force lack what lies beyond the cut-off c, and what is subtracted so that they reach zero there
// (host/gravity/short_range.hpp). Both are convolutions, too, so the mesh adds them. With lengths in units of rs,
// R^2 = r^2 + eps^2, S(R) = erfc(R/2) + R/sqrt(pi) exp(-R^2/4) and R(b) = c, pairs lack the pull S(c) r/c^3 within b
// and S(R) r/R^3 beyond: the field of a uniform sphere of radius b and of mass spread around it. With q = k rs, the
// mesh adds to the filter of the split
//   C(q) = S(c) (b/c)^3 3 j1(qb)/qb + int_b^inf [3 r^2 eps^2 S(R)/R^5 - r^4/R^2 exp(-R^2/4)/(2 sqrt(pi))] sin(qr)/qr
//   dr,
// which is zero at q = 0 and 0.3 S(c) at most.
#pragma once

#include <array>
#include <cstddef>

#include "host/gravity/short_range.hpp"

namespace multiwalk {

/// C(q) of one law, within 1e-9.
class MissedPairs {
 public:
  /// Any unit of length. cutoff 0: pairs miss nothing.
  MissedPairs(const ForceSplit& split, double softening);

  /// q = k rs.
  [[nodiscard]] double operator()(double q) const;

 private:
  static constexpr std::size_t points = 64;

  double inner_ = 0, sphere_ = 0;                  ///< b, and the missed pull there times b^2
  std::array<double, points> place_{}, growth_{};  ///< r, and the quadrature's weight times [...]
};

}  // namespace multiwalk
