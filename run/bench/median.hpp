// SPDX-License-Identifier: GPL-3.0-or-later
// The middle of repeated timings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace multiwalk {

/// Index of the middle value, or of the lower of two middle ones. `values` is not empty.
inline std::size_t index_of_median(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
  std::nth_element(order.begin(), middle, order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  return *middle;
}

/// The middle value, or the mean of two middle ones. `values` is not empty.
inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace multiwalk
