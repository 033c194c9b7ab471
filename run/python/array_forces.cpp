// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/array_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "host/force/gravity_solver.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/bench/force_bench.hpp"
#include "run/evolve/force_range.hpp"
#include "run/evolve/simulation.hpp"
#include "run/python/solver_pool.hpp"
#include "run/python/used_threads.hpp"

namespace multiwalk {

namespace {

constexpr double largest = 1e100;                            // of positions and masses: squares and sums stay finite
constexpr std::size_t sample_size = 8192, part_size = 8192;  // particles

void require_lengths(const ForceArrays& arrays) {
  const std::size_t n = arrays.position.size();
  if (n == 0) throw InputError("there are no particles: give at least one position");
  if (n > most_array_particles) {
    throw InputError(fmt::format("{} particles are too many: at most {}", n, most_array_particles));
  }
  if (arrays.mass.size() != n) {
    throw InputError(fmt::format("{} positions, but {} masses: give one mass for each", n, arrays.mass.size()));
  }
  if (arrays.acceleration.size() != n || arrays.potential.size() != n) {
    throw InputError("the arrays of results must be as long as the array of positions");
  }
  if (!arrays.previous.empty() && arrays.previous.size() != n) {
    throw InputError(fmt::format("{} positions, but {} previous accelerations", n, arrays.previous.size()));
  }
}

/// Results of one pass over the arrays: the first unusable element of each, or `none`, and the extent and masses.
struct Survey {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t position = none, mass = none, previous = none;
  Box box;
  double total = 0, heaviest = 0;  ///< masses

  void add(const Survey& next) {
    position = std::min(position, next.position);
    mass = std::min(mass, next.mass);
    previous = std::min(previous, next.previous);
    box.include(next.box);
    total += next.total;
    heaviest = std::max(heaviest, next.heaviest);
  }
};

Survey survey_part(const ForceArrays& arrays, std::size_t first, std::size_t last) {
  const auto usable = [](double value) { return std::fabs(value) <= largest; };
  const auto place = [&](Vec3d p) { return usable(p.x) && usable(p.y) && usable(p.z); };
  Survey found;
  for (std::size_t i = first; i < last; ++i) {
    const double mass = arrays.mass[i];
    if (!place(arrays.position[i])) found.position = std::min(found.position, i);
    if (!(mass >= 0 && usable(mass))) found.mass = std::min(found.mass, i);
    if (!arrays.previous.empty() && !place(arrays.previous[i])) found.previous = std::min(found.previous, i);
    found.box.include(arrays.position[i]);
    found.total += mass;
    found.heaviest = std::max(found.heaviest, mass);
  }
  return found;
}

/// Surveys all elements in parts of fixed size, so that sums do not depend on the number of threads.
Survey survey(const ForceArrays& arrays) {
  const std::size_t n = arrays.position.size();
  std::vector<Survey> parts((n + part_size - 1) / part_size);
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k] = survey_part(arrays, k * part_size, std::min(n, (k + 1) * part_size));
  }
  Survey all;
  for (const Survey& part : parts) all.add(part);
  return all;
}

void require_numbers(const ForceArrays& arrays, const Survey& found) {
  if (found.position != Survey::none) {
    const Vec3d p = arrays.position[found.position];
    throw InputError(fmt::format("position {} is ({}, {}, {}): it must be finite and within {:g}", found.position, p.x,
                                 p.y, p.z, largest));
  }
  if (found.mass != Survey::none) {
    throw InputError(fmt::format("mass {} is {}: it must be finite, not negative and at most {:g}", found.mass,
                                 arrays.mass[found.mass], largest));
  }
  if (found.previous != Survey::none) {
    throw InputError(fmt::format("previous acceleration {} is not finite", found.previous));
  }
}

void require_options(const ArrayForceOptions& options) {
  const auto refuse = [](const char* name, double value, const char* range) {
    throw InputError(fmt::format("{} = {}: it must be a finite number {}", name, value, range));
  };
  const double& box = options.box_size;
  if (!(options.softening >= 0 && options.softening <= largest)) refuse("softening", options.softening, "from 0");
  if (!(box >= 0 && box <= largest)) refuse("box", box, "above 0");
  if (!std::isfinite(options.gravitational_constant)) refuse("G", options.gravitational_constant, "");
}

/// Powers of two, so that a change of units changes no bit of a force.
struct Units {
  double length = 1, mass = 1;
};

double power_of_two_near(double value) {
  return value > 0 ? std::ldexp(1.0, std::ilogb(value)) : 1;
}

/// Median radius and farthest particle from a sample that holds the outermost ones.
SystemScale sampled_scale(const ForceArrays& arrays, const Survey& found) {
  const std::size_t n = arrays.position.size(), stride = std::max<std::size_t>(1, n / sample_size);
  ParticleSystem sample;
  for (std::size_t i = 0; i < n; i += stride) {
    sample.particles.position.push_back(arrays.position[i]);
    sample.particles.mass.push_back(1);
  }
  SystemScale scale = scale_of(sample);
  scale.farthest = std::max(scale.farthest, norm(found.box.hi - found.box.lo) / 2);
  scale.count = static_cast<double>(n);
  scale.mass = found.total / static_cast<double>(n);
  return scale;
}

/// Units in which the system is of order one, and a warning of judge_scale(). Throws InputError if single precision
/// cannot hold it even then.
Units units_of(const ForceArrays& arrays, const Survey& found, const ArrayForceOptions& options, std::string& warning) {
  SystemScale scale = sampled_scale(arrays, found);
  const double length = options.box_size > 0 ? options.box_size
                        : scale.radius > 0   ? scale.radius
                        : scale.farthest > 0 ? scale.farthest
                                             : options.softening;
  const Units units{power_of_two_near(length), power_of_two_near(scale.mass)};
  constexpr double least_softening = 1e-12, most_softening = 1e6, most_mass = 1e12;
  if (options.softening > most_softening * units.length) {
    throw InputError(fmt::format("softening = {:g} is more than {:g} times the size of the system, {:g}",
                                 options.softening, most_softening, length));
  }
  if (options.softening > 0 && options.softening < least_softening * units.length) {
    throw InputError(
        fmt::format("softening = {:g} is less than {:g} of the size of the system, {:g}: give 0 for point masses",
                    options.softening, least_softening, length));
  }
  if (found.heaviest > most_mass * units.mass) {
    throw InputError(fmt::format("the heaviest particle, {:g}, is more than {:g} times as heavy as the mean, {:g}",
                                 found.heaviest, most_mass, scale.mass));
  }
  if (options.box_size > 0) return units;
  scale.radius /= units.length;
  scale.farthest /= units.length;
  scale.mass /= units.mass;
  warning = judge_scale(scale, "x");
  return units;
}

void fill(ParticleSystem& system, const ForceArrays& arrays, const ArrayForceOptions& options, const Units& units) {
  system.frame = Frame::newtonian;
  system.boundary = options.box_size > 0 ? Boundary::periodic : Boundary::vacuum;
  system.box_size = options.box_size / units.length;
  system.time = 0;
  ParticleStore& p = system.particles;
  const std::size_t n = arrays.position.size();
  p.for_each_array([n](std::string_view name, auto& array) {
    if (name != "velocity") array.resize(n);  // what stays empty need not be sorted
  });
  const double per_acceleration = units.length * units.length / (units.mass * options.gravitational_constant);
  const bool known = !arrays.previous.empty() && std::isfinite(per_acceleration);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    p.position[i] = arrays.position[i] * (1 / units.length);
    p.mass[i] = static_cast<float>(arrays.mass[i] / units.mass);
    p.id[i] = i;
    p.acceleration[i] = known ? Vec3f(arrays.previous[i] * per_acceleration) : Vec3f{};
  }
  if (system.boundary == Boundary::periodic) wrap(p, system.box_size);
}

/// Results in the order of the arrays. Throws InputError if one is not finite.
void return_forces(const ParticleStore& p, const ArrayForceOptions& options, const Units& units,
                   const ForceArrays& arrays) {
  const double potential = options.gravitational_constant * (units.mass / units.length);
  const double acceleration = potential / units.length;
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite)
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec3d a = acceleration * Vec3d(p.acceleration[i]);
    const double phi = potential * static_cast<double>(p.potential[i]);
    finite = finite && std::isfinite(a.x + a.y + a.z) && std::isfinite(phi);
    arrays.acceleration[p.id[i]] = a;
    arrays.potential[p.id[i]] = phi;
  }
  if (finite) return;
  throw InputError(
      "forces are not finite: some particles are too close to each other for single precision; give a softening, or "
      "use direct_forces");
}

}  // namespace

std::string tree_forces(const ForceArrays& arrays, const ArrayForceOptions& options) {
  require_lengths(arrays);
  const UsedThreads threads(options.threads);
  require_options(options);
  const Survey found = survey(arrays);
  require_numbers(arrays, found);
  std::string warning;
  const Units units = units_of(arrays, found, options, warning);
  const BorrowedSolver pooled = borrow_solver(options.backend);
  ForceBackend& backend = pooled->backend();
  ParticleSystem& system = pooled->system();
  fill(system, arrays, options, units);
  require_boundary(system, backend);
  BenchTask task;
  task.force = options.walks;
  task.box = options.box;
  task.law.softening = options.softening / units.length;
  task.law.box_size = period_of(system);
  choose_box_forces(task, system, backend, {});
  std::unique_ptr<LongRangeForce> long_range;
  if (task.box_forces) long_range = make_long_range(*task.box_forces, backend);
  GravitySolver& solver = pooled->solver(task.force, omp_get_max_threads());
  solver.accelerate(system.particles, task.law, {.long_range = long_range.get()});
  return_forces(system.particles, options, units, arrays);
  return warning;
}

void pair_forces(const ForceArrays& arrays, const ArrayForceOptions& options) {
  require_lengths(arrays);
  const UsedThreads threads(options.threads);
  require_options(options);
  require_numbers(arrays, survey(arrays));
  const auto n = static_cast<double>(arrays.position.size());
  const auto choice = choose_direct_backend(options.backend, {}, options.threads, n * n);
  DirectTask task;
  task.source_position = task.target_position = arrays.position;
  task.source_mass = task.target_mass = arrays.mass;
  task.softening2 = options.softening * options.softening;
  task.acceleration = arrays.acceleration;
  task.potential = arrays.potential;
  choice.backend->sum(task);
  for (Vec3d& a : arrays.acceleration) a = options.gravitational_constant * a;
  for (double& p : arrays.potential) p *= options.gravitational_constant;
}

}  // namespace multiwalk
