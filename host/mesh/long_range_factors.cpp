// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/mesh/long_range_factors.hpp"

#include <cmath>
#include <numbers>

#include "host/base/quadrature.hpp"
#include "host/gravity/softened_wave.hpp"

namespace multiwalk {

using std::numbers::pi;

namespace {

/// The integral of the pairs' potential over space: that of the pairs without a cut-off, less what the mesh adds for
/// it. By parts, since the potential ends at zero: 4 pi/3 times the integral of r^3 times the pull.
double pair_volume(const ForceSplit& split, double softening) {
  const double c = split.cutoff, rs = split.scale;
  if (c == 0) return softened_pair_volume(1 / (2 * rs), softening);
  if (softening >= c) return 0;
  const PairEnd end = pair_end(split);
  const auto pull = [&](double r) {
    const double R2 = r * r + softening * softening, R = std::sqrt(R2), x = R / (2 * rs);
    const double factor = std::erfc(x) + 2 * x * std::numbers::inv_sqrtpi * std::exp(-x * x);
    return r * (factor / (R2 * R) - end.slope);
  };
  const Quadrature integral(256);
  return 4 * pi / 3 *
         integral(0, std::sqrt(c * c - softening * softening), [&](double r) { return r * r * r * pull(r); });
}

}  // namespace

std::vector<double> long_range_factors(const MeshForceOptions& options, double box_size) {
  std::vector<double> factor;
  for (std::uint32_t n = 0; n <= options.cells / 2; ++n) {
    const double k_rs = 2 * pi * n / box_size * options.split_scale;
    const double window = assignment_window(options.assignment, n, options.cells);
    factor.push_back(2 * n == options.cells ? 0 : std::exp(-k_rs * k_rs) / (window * window));
  }
  return factor;
}

PotentialConstants potential_constants(double G, const ForceSplit& split, double softening, double mean_density) {
  return {G * long_range_depth(split, softening), G * pair_volume(split, softening) * mean_density};
}

}  // namespace multiwalk
