// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/mesh/long_range_modes.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "host/gravity/pair_strength.hpp"
#include "host/mesh/long_range_factors.hpp"
#include "host/mesh/split_filter.hpp"

namespace multiwalk {

double balanced_reach(const ForceSplit& split, double box_size) {
  return split.cutoff * box_size / (4 * std::numbers::pi * split.scale * split.scale);
}

void LongRangeModes::add(ParticleStore& particles, const PairLaw& law) {
  const double side = law.box_size, rs = law.split.scale;
  const double G = pair_strength() * law.gravitational_constant;
  std::vector<double> amplitudes = modes_.sums({particles.position, particles.mass, side});
  comm_.sum(std::span<double>(amplitudes));
  const double mean_density = amplitudes.front() / (side * side * side);
  const SplitFilter filter(law.split, law.softening, side);
  modes_.weigh(amplitudes, [&, more = filter.values()](int h2) {
    const double k_rs = 2 * std::numbers::pi * rs / side;
    if (h2 == 0) return 0.0;
    return -G / (std::numbers::pi * side) * std::exp(-k_rs * k_rs * h2) * more(static_cast<float>(h2)) / h2;
  });
  modes_.add_field(amplitudes, particles.position, side, particles.acceleration, particles.potential);
  const PotentialConstants constant = potential_constants(G, law.split, law.softening, mean_density);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.potential[i] += static_cast<float>(constant.own * particles.mass[i] + constant.everywhere);
  }
}

}  // namespace multiwalk
