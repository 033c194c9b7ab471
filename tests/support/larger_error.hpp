// SPDX-License-Identifier: GPL-3.0-or-later
// The largest of many errors, for judges that must not overlook a NaN: std::max(worst, NaN) is worst.
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
