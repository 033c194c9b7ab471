// SPDX-License-Identifier: GPL-3.0-or-later
// The short-range part of a split force, summed in double precision over nearest images: the truth for trees.
#pragma once

#include <cmath>
#include <numbers>
#include <span>

#include "host/base/separation.hpp"
#include "host/force/force_backend.hpp"

namespace multiwalk::test {

/// Of a unit mass at separation d: Newton's law less the mesh's part, erf(R/2rs)/R of the potential, both at the
/// softened distance R: Newton's pull times erfc(R/2rs) + R/(rs sqrt(pi)) exp(-R^2/4rs^2), less R/cutoff times its
/// value at the cut-off.
inline ForceSum<double> short_range_pair(Vec3d d, double softening, const ForceSplit& split) {
  const double r2 = norm2(d) + softening * softening, r = std::sqrt(r2), u = r / (2 * split.scale);
  const double peak = 1 / (split.scale * std::sqrt(std::numbers::pi));
  if (r2 > split.cutoff * split.cutoff) return {};
  const double ri = r2 > 1e-22 ? 1 / r : 0;
  const double gauss = peak * std::exp(-u * u);
  const double mesh = u > 1e-3 ? std::erf(u) / r : peak * (1 - u * u / 3);
  const double mesh_pull = u > 1e-3 ? (mesh - gauss) / r2 : peak / (6 * split.scale * split.scale);
  const double c = split.cutoff, v = c / (2 * split.scale), end = std::erfc(v) + c * peak * std::exp(-v * v);
  const double weight = ri * ri * ri - mesh_pull - end / (c * c * c);
  const double level = std::erfc(v) / c + end * (c * c - r2) / (2 * c * c * c);
  return {weight * d.x, weight * d.y, weight * d.z, ri - mesh - level};
}

/// Of all particles on one place; without G. The own pair counts for the potential's mesh part only.
inline ForceSum<double> short_range_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                                        const PairLaw& law) {
  ForceSum<double> sum;
  for (std::size_t j = 0; j < position.size(); ++j) {
    const auto m = static_cast<double>(mass[j]);
    const ForceSum<double> pair =
        short_range_pair(separation(target, position[j], law.box_size), law.softening, law.split);
    sum.x += m * pair.x;
    sum.y += m * pair.y;
    sum.z += m * pair.z;
    sum.potential += m * pair.potential;
  }
  return sum;
}

}  // namespace multiwalk::test
