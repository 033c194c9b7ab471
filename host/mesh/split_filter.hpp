// SPDX-License-Identifier: GPL-3.0-or-later
// What the mesh or modes multiply exp(-q^2), the Gaussian split's filter, by: with softening and cut-off of the pairs
// the filter is exp(-q^2) W + C(q), W being softened_wave (host/gravity/softened_wave.hpp) and C(q) what pairs miss
// (host/mesh/missed_pairs.hpp). C is damped for waves shorter than about 3 rs, where meshes are no longer isotropic.
#pragma once

#include <cmath>
#include <vector>

#include "host/base/host_device.hpp"
#include "host/gravity/short_range.hpp"

namespace multiwalk {

/// The factor as a function of n^2, the square of the wavenumber in units of 2 pi / box size, in memory of host or
/// device: values at equal distances in n, the last of them for all larger n.
struct FilterValues {
  static constexpr int size = 2048;

  const float* value = nullptr;  ///< (size)
  float places = 0;              ///< per unit of n

  [[nodiscard]] MULTIWALK_HOST_DEVICE float operator()(float n2) const {
    const float place = std::sqrt(n2) * places;
    if (place >= static_cast<float>(size - 1)) return value[size - 1];
    const int i = static_cast<int>(place);
    return value[i] + (place - static_cast<float>(i)) * (value[i + 1] - value[i]);
  }
};

class SplitFilter {
 public:
  /// In the unit of `box_size`. cutoff 0: pairs miss nothing.
  SplitFilter(const ForceSplit& split, double softening, double box_size);

  /// Valid as long as this object.
  [[nodiscard]] FilterValues values() const { return {value_.data(), places_}; }

 private:
  std::vector<float> value_;
  float places_;
};

}  // namespace multiwalk
