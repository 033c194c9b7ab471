// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/colour_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

namespace multiwalk {

namespace {

constexpr double least_contrast = 4;      ///< brightest over median
constexpr double level_of_median = 0.33;  ///< above 1 / least_contrast, the level on a linear scale
constexpr double deepest = 1e-6;          ///< least `low` over median

}  // namespace

double ColourScale::level(double value) const {
  return value > 0 ? std::min(std::log1p(value / low) / std::log1p(high / low), 1.0) : 0;
}

ColourScale choose_scale(std::span<const float> values) {
  std::vector<float> positive;
  std::ranges::copy_if(values, std::back_inserter(positive), [](float v) { return std::isfinite(v) && v > 0; });
  if (positive.empty()) return {};
  const auto percentile = [&](double fraction) {
    const auto place =
        positive.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(positive.size() - 1));
    std::nth_element(positive.begin(), place, positive.end());
    return static_cast<double>(*place);
  };
  const double median = percentile(0.5);
  const double high = std::max(percentile(0.9995), median * least_contrast);
  // The level of the median falls from 1 (low = 0) to median / high (low infinite).
  double below = std::log(median * deepest), above = std::log(high * 1e3);
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (below + above) / 2;
    (ColourScale{std::exp(middle), high}.level(median) > level_of_median ? below : above) = middle;
  }
  return {std::exp(above), high};
}

}  // namespace multiwalk
