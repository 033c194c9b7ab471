// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/force_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/quantile.hpp"
#include "host/base/large_memory.hpp"
#include "host/tree/sfc_key.hpp"
#include "run/files/printable.hpp"

namespace multiwalk {

namespace {

constexpr double shortest = 1e-4, longest = 1e5, lightest = 1e-15, heaviest = 1e15;
constexpr double most_far = 1e13;     // its own acceleration, 1 / R^3 times R, must still be finite
constexpr double most_together = 64;  // the most particles in one of the finest cells that still make sense
constexpr double most_moment = 1e35;  // of a quadrupole's contraction, m d^4, with a margin of 1000

/// How many particles of the inner half share one of the tree's finest cells, whose size follows from `farthest`.
double particles_together(const SystemScale& scale) {
  const double cell = 2 * scale.farthest / std::ldexp(1.0, key_levels);
  return 0.5 * scale.count * std::pow(cell / scale.radius, 3) / (4 * std::numbers::pi / 3);
}

}  // namespace

SystemScale scale_of(const ParticleSystem& system, const Communicator& comm) {
  const ParticleStore& particles = system.particles;
  const auto count = static_cast<double>(comm.sum(static_cast<std::uint64_t>(particles.size())));
  if (count < 2) return {1, 0, 1, count};
  LargeArray<double> values(particles.size());
  Vec3d centre;
  for (int axis = 0; axis < 3; ++axis) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = particles.position[i][axis];
    centre[axis] = quantile(comm, values, 0.5);
  }
  double farthest = 0, own_mass = 0;
#pragma omp parallel for schedule(static) reduction(max : farthest) reduction(+ : own_mass)
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = norm(particles.position[i] - centre);
    farthest = std::max(farthest, values[i]);
    own_mass += static_cast<double>(particles.mass[i]);
  }
  const double mass = comm.sum(own_mass);
  return {quantile(comm, values, 0.5), comm.max(farthest), mass / count, count};
}

std::string judge_force_range(const ParticleSystem& system, const std::string& what, const Communicator& comm) {
  return judge_scale(scale_of(system, comm), what);
}

std::string judge_scale(const SystemScale& scale, const std::string& what) {
  const auto refuse = [&](const char* quantity, double value, double low, double high) {
    if (!(value > 0) || (value >= low && value <= high)) return;
    throw SharedError(
        fmt::format("{}: {} is {:.3g}, but forces in single precision need {:g} to {:g}: choose other units", what,
                    quantity, value, low, high, -std::round(std::log10(value))));
  };
  refuse("the radius that holds half of the particles", scale.radius, shortest, longest);
  refuse("the mean mass of a particle", scale.mass, lightest, heaviest);
  refuse("the mass times the fourth power of that radius", scale.count * scale.mass * std::pow(scale.radius, 4), 0,
         most_moment);
  refuse("the distance of the farthest particle", scale.farthest, 0, most_far);
  if (!(scale.radius > 0) || particles_together(scale) <= most_together) return {};
  return fmt::format(
      "{}: the farthest particle is {:.3g} away from the median position, but half of all particles lie within {:.3g}: "
      "the "
      "{} levels of the tree cannot resolve that region, so forces are summed over all pairs, slowly; leave out far "
      "particles",
      what, scale.farthest, scale.radius, key_levels);
}

void require_force_range(const ParticleSystem& system, const std::string& what, const Communicator& comm) {
  const std::string warning = judge_force_range(system, what, comm);
  if (comm.root()) warn_on_stderr(warning);
}

}  // namespace multiwalk
