// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range filter when pairs are softened and cut off. The Gaussian split alone filters with exp(-q^2); here the
// filter is exp(-q^2) W + C(q), where W is softened_wave (host/gravity/softened_wave.hpp) and C(q) restores what the
// cut-off pairs miss (host/mesh/missed_pairs.hpp). C is damped for wavelengths below about 3 rs, where a mesh is no
// longer isotropic.
#pragma once

#include <cmath>
#include <vector>

#include "host/base/host_device.hpp"
#include "host/gravity/short_range.hpp"

namespace multiwalk {

/// The filter divided by exp(-q^2), tabulated at equal steps in n, the wavenumber in units of 2 pi / box size; beyond
/// the table, its last value. The table is in the memory of the host or of a device.
struct FilterValues {
  static constexpr int size = 2048;

  const float* value = nullptr;  ///< (size)
  float places = 0;              ///< table entries per unit of n

  [[nodiscard]] MULTIWALK_HOST_DEVICE float operator()(float n2) const {
    const float place = std::sqrt(n2) * places;
    if (place >= static_cast<float>(size - 1)) return value[size - 1];
    const int i = static_cast<int>(place);
    return value[i] + (place - static_cast<float>(i)) * (value[i + 1] - value[i]);
  }
};

class SplitFilter {
 public:
  /// Lengths in the unit of `box_size`. With a cutoff of 0 pairs miss nothing, and C = 0.
  SplitFilter(const ForceSplit& split, double softening, double box_size);

  /// Valid while this object lives.
  [[nodiscard]] FilterValues values() const { return {value_.data(), places_}; }

 private:
  std::vector<float> value_;
  float places_;
};

}  // namespace multiwalk
