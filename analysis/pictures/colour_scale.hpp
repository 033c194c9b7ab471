// SPDX-License-Identifier: GPL-3.0-or-later
// Converts densities to levels of a colour map.
#pragma once

#include <span>

namespace multiwalk {

/// Level ln(1 + value / low) / ln(1 + high / low): 0 where there is nothing, linear below `low`, logarithmic above, 1
/// at `high`. Only a density of 0 has the darkest colour.
struct ColourScale {
  double low = 1, high = 2;  ///< 0 < low < high
  [[nodiscard]] double level(double value) const;
};

/// `high` is the 99.95th percentile of the positive values, but at least 4 times their median, so that a smooth field
/// looks smooth; `low` is chosen so that the median has the level 0.33.
ColourScale choose_scale(std::span<const float> values);

}  // namespace multiwalk
