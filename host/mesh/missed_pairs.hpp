// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of a split force miss what lies beyond the cut-off c and what is taken away so that they end at zero there
// (host/gravity/short_range.hpp). The mesh adds both, since they are a convolution, too: the filter exp(-q^2) of the
// Gaussian split, q = k rs, becomes exp(-q^2) + C(q). With lengths in units of rs and S(r) = erfc(r/2) + r/sqrt(pi)
// exp(-r^2/4), pairs miss the pull S(c) r/c^3 of a uniform sphere within c and S(r)/r^2 beyond, so
//   C(q) = S(c) 3 j1(qc)/qc - int_c^inf r^2/(2 sqrt(pi)) exp(-r^2/4) sin(qr)/qr dr,
// which is zero at q = 0 and 0.3 S(c) at most. Waves shorter than about 3 rs are damped, where meshes are no longer
// isotropic.
#pragma once

#include <vector>

#include "host/base/host_device.hpp"
#include "host/gravity/short_range.hpp"

namespace multiwalk {

/// C(q) for a cut-off of `cutoff` rs, within 1e-9.
double missed_share(double q, double cutoff);
/// The limit of C(q)/q^2 at q = 0.
double missed_curvature(double cutoff);

/// A function of n^2 in memory of host or device: values at equal distances, the last of them for all larger n^2.
struct TableOfSquares {
  static constexpr int size = 2048;

  const float* value = nullptr;  ///< (size)
  float places = 0;              ///< per unit of n^2

  [[nodiscard]] MULTIWALK_HOST_DEVICE float operator()(float n2) const {
    const float place = n2 * places;
    if (place >= static_cast<float>(size - 1)) return value[size - 1];
    const int i = static_cast<int>(place);
    return value[i] + (place - static_cast<float>(i)) * (value[i + 1] - value[i]);
  }
};

/// The factor 1 + C(q) exp(q^2) times the damping, by which the mesh multiplies the split's filter, as a function of
/// n^2, the square of the wavenumber in units of 2 pi / box size.
class MissedPairs {
 public:
  /// In the unit of `box_size`. cutoff 0: pairs miss nothing, and all factors are 1.
  MissedPairs(const ForceSplit& split, double box_size);

  /// Valid as long as this object.
  [[nodiscard]] TableOfSquares table() const { return {value_.data(), places_}; }

 private:
  std::vector<float> value_;
  float places_;
};

}  // namespace multiwalk
