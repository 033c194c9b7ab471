// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/mesh/long_range_factors.hpp"

#include <cmath>
#include <numbers>

#include "host/mesh/missed_pairs.hpp"

namespace multiwalk {

using std::numbers::pi;

std::vector<double> long_range_factors(const MeshForceOptions& options, double box_size) {
  std::vector<double> factor;
  for (std::uint32_t n = 0; n <= options.cells / 2; ++n) {
    const double k_rs = 2 * pi * n / box_size * options.split_scale;
    const double window = assignment_window(options.assignment, n, options.cells);
    factor.push_back(2 * n == options.cells ? 0 : std::exp(-k_rs * k_rs) / (window * window));
  }
  return factor;
}

PotentialConstants potential_constants(double G, const ForceSplit& split, double mean_density) {
  const double rs = split.scale, missed = split.cutoff > 0 ? missed_curvature(split.cutoff / rs) : 0;
  return {G * (1 / (rs * std::sqrt(pi)) + pair_end(split).level), G * 4 * pi * rs * rs * (1 - missed) * mean_density};
}

}  // namespace multiwalk
