// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/profiles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "decomposition/ranks/exact_sum.hpp"
#include "host/base/error.hpp"
#include "host/base/separation.hpp"

namespace multiwalk {

std::vector<ProfileBin> spherical_profile(const ParticleStore& particles, const ProfileOptions& options,
                                          const Communicator& comm) {
  require(options.r_min > 0 && options.r_max > options.r_min && options.bins > 0, "spherical_profile: radii or bins");
  const auto bins = static_cast<std::size_t>(options.bins);
  std::vector<double> edge(bins + 1), square(bins + 1);
  const double width = std::log(options.r_max / options.r_min) / options.bins;
  for (std::size_t b = 0; b <= bins; ++b) {
    edge[b] = options.r_min * std::exp(width * static_cast<double>(b));
    square[b] = edge[b] * edge[b];
  }
  // Element 0 counts particles nearer than r_min.
  std::vector<std::uint64_t> count(bins + 1, 0);
  std::vector<ExactSum> sum(bins + 1);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double r2 = norm2(separation(options.centre, particles.position[i], options.period));
    const auto shell = static_cast<std::size_t>(std::ranges::upper_bound(square, r2) - square.begin());
    if (shell > bins) continue;
    ++count[shell];
    sum[shell].add(static_cast<double>(particles.mass[i]));
  }
  comm.sum(std::span<std::uint64_t>(count));
  double enclosed = sum[0].total(comm);
  std::vector<ProfileBin> profile(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    ProfileBin& bin = profile[b];
    bin.low = edge[b];
    bin.high = edge[b + 1];
    bin.count = count[b + 1];
    bin.mass = sum[b + 1].total(comm);
    bin.density = bin.mass / (4 * std::numbers::pi / 3 * (std::pow(bin.high, 3) - std::pow(bin.low, 3)));
    enclosed += bin.mass;
    bin.enclosed = enclosed;
    bin.circular_velocity = std::sqrt(options.gravitational_constant * enclosed / (options.scale_factor * bin.high));
  }
  return profile;
}

}  // namespace multiwalk
