// SPDX-License-Identifier: GPL-3.0-or-later
// From densities to levels of a colour map.
#pragma once

#include <span>

namespace multiwalk {

/// Level ln(1 + value / low) / ln(1 + high / low): 0 where there is nothing, linear below `low`, logarithmic above, 1
/// at `high`. No density but 0 is as dark as nothing.
struct ColourScale {
  double low = 1, high = 2;  ///< 0 < low < high
  [[nodiscard]] double level(double value) const;
};

/// `high`: the 99.95th percentile of the positive values, at least 4 medians, so that a smooth field looks smooth;
/// `low` such that the median is at level 0.33.
ColourScale choose_scale(std::span<const float> values);

}  // namespace multiwalk
