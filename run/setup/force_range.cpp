// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/setup/force_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/quantile.hpp"

namespace multiwalk {

namespace {

constexpr double shortest = 1e-4, longest = 1e5, lightest = 1e-15, heaviest = 1e15;
constexpr double most_moment = 1e35;  // of a quadrupole's contraction, m d^4, with a margin of 1000

}  // namespace

SystemScale scale_of(const ParticleSystem& system, const Communicator& comm) {
  const ParticleStore& particles = system.particles;
  const auto count = static_cast<double>(comm.sum(static_cast<std::uint64_t>(particles.size())));
  if (count < 2) return {1, 1};
  std::vector<double> values(particles.size());
  Vec3d centre;
  for (int axis = 0; axis < 3; ++axis) {
    std::ranges::transform(particles.position, values.begin(), [axis](const Vec3d& p) { return p[axis]; });
    centre[axis] = quantile(comm, values, 0.5);
  }
  std::ranges::transform(particles.position, values.begin(), [&](const Vec3d& p) { return norm(p - centre); });
  const double mass = comm.sum(std::accumulate(particles.mass.begin(), particles.mass.end(), 0.0));
  return {quantile(comm, values, 0.5), mass / count};
}

void require_force_range(const ParticleSystem& system, const char* what, const Communicator& comm) {
  const SystemScale scale = scale_of(system, comm);
  const auto refuse = [&](const char* quantity, double value, double low, double high) {
    if (!(value > 0) || (value >= low && value <= high)) return;
    throw SharedError(
        fmt::format("{}: {} is {:.3g}, and forces in single precision need {:g} to {:g}: choose other units", what,
                    quantity, value, low, high, -std::round(std::log10(value))));
  };
  refuse("the radius that holds half of the particles", scale.radius, shortest, longest);
  refuse("the mean mass of a particle", scale.mass, lightest, heaviest);
  const auto count = static_cast<double>(comm.sum(static_cast<std::uint64_t>(system.particles.size())));
  refuse("the mass times the fourth power of that radius", count * scale.mass * std::pow(scale.radius, 4), 0,
         most_moment);
}

}  // namespace multiwalk
