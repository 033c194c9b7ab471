// SPDX-License-Identifier: GPL-3.0-or-later
// The pull between two points in a periodic box of side 1, slowly and independently of the sources.
#pragma once

#include <cmath>
#include <numbers>

#include "host/base/vec3.hpp"

namespace multiwalk::test_models {

/// The image of d with components from -1/2 to 1/2.
inline Vec3d nearest_image(Vec3d d) {
  return {d.x - std::round(d.x), d.y - std::round(d.y), d.z - std::round(d.z)};
}

struct PairPull {
  Vec3d acceleration;
  double potential = 0;  ///< of zero mean over the box
};

/// Ewald's sum for a unit mass and its images at d from the target, G = 1, to 1e-12.
inline PairPull ewald_pair(Vec3d d) {
  constexpr double pi = std::numbers::pi, alpha = 2;
  PairPull sum{{}, pi / (alpha * alpha)};
  for (int x = -4; x <= 4; ++x) {
    for (int y = -4; y <= 4; ++y) {
      for (int z = -4; z <= 4; ++z) {
        const Vec3d n{double(x), double(y), double(z)}, image = d + n;
        const double r = norm(image), ar = alpha * r;
        const double near = std::erfc(ar) + 2 * ar / std::sqrt(pi) * std::exp(-ar * ar);
        sum.acceleration += image * (near / (r * r * r));
        sum.potential -= std::erfc(ar) / r;
        const double h2 = norm2(n), wave = h2 > 0 ? std::exp(-pi * pi * h2 / (alpha * alpha)) / h2 : 0;
        sum.acceleration += n * (2 * wave * std::sin(2 * pi * dot(n, d)));
        sum.potential -= wave / pi * std::cos(2 * pi * dot(n, d));
      }
    }
  }
  return sum;
}

/// The short range of TreePM's Gaussian split for a unit mass at d, its nearest image.
inline PairPull short_range_pair(Vec3d d, double rs) {
  const double r = norm(d), x = r / (2 * rs);
  const double factor = std::erfc(x) + 2 * x / std::sqrt(std::numbers::pi) * std::exp(-x * x);
  return {d * (factor / (r * r * r)), -std::erfc(x) / r};
}

}  // namespace multiwalk::test_models
