// SPDX-License-Identifier: GPL-3.0-or-later
// A point mass's short-range pair for one instruction set; only isa_kernels.cpp includes it. The reference is
// ShortRange.
#pragma once

#include "host/gravity/short_range.hpp"
#include "host/simd/simd_vector.hpp"

namespace multiwalk::MULTIWALK_ISA {

/// As accumulate_monopole wants it, with a polynomial of the reduction no longer than the cut-off needs.
template <int degree>
class ShortRangeLanes {
 public:
  Packed cutoff2, slope, level;

  explicit ShortRangeLanes(const ShortRange& law)
      : cutoff2(law.cutoff2),
        slope(law.slope),
        level(law.level),
        stretch_(law.stretch),
        rate_(-1.44269504F * law.rate),
        peak_(law.peak) {
    for (int k = 0; k <= degree; ++k) coefficient_[k] = Packed(law.first[k]);
  }

  /// Even and odd powers apart, in two chains of half the length: a core waits for results more than it computes.
  [[nodiscard]] MULTIWALK_HOST_DEVICE Packed reduction(Packed R2) const {
    static_assert(degree % 2 == 1);
    const Packed y = stretch_ * R2 - Packed(1.0F), y2 = y * y;
    Packed even = coefficient_[degree - 1], odd = coefficient_[degree];
    for (int k = degree - 2; k > 0; k -= 2) {
      odd = odd * y2 + coefficient_[k];
      even = even * y2 + coefficient_[k - 1];
    }
    return odd * y + even;
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE Packed gaussian(Packed R2) const { return peak_ * exp2_of(rate_ * R2); }

 private:
  Packed stretch_, rate_, peak_, coefficient_[degree + 1];
};

}  // namespace multiwalk::MULTIWALK_ISA
