// SPDX-License-Identifier: GPL-3.0-or-later
// The middle of repeated timings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace multiwalk {

/// Of the middle value, of an even number of values the lower of the two; there is a value.
inline std::size_t index_of_median(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
  std::nth_element(order.begin(), middle, order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  return *middle;
}

/// Of an even number of values, the mean of the two in the middle; there is a value.
inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace multiwalk
