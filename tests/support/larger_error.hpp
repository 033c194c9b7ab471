// SPDX-License-Identifier: GPL-3.0-or-later
// The largest of many errors, where a NaN must not be overlooked: std::max(worst, NaN) is worst.
#pragma once

#include <cmath>
#include <limits>

namespace multiwalk {

/// NaN counts as infinite.
inline double larger_error(double worst, double error) {
  if (std::isnan(error)) return std::numeric_limits<double>::infinity();
  return error > worst ? error : worst;
}

}  // namespace multiwalk
