// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/array_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"
#include "host/solver/gravity_solver.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/bench/force_bench.hpp"
#include "run/evolve/force_range.hpp"
#include "run/evolve/simulation.hpp"
#include "run/python/array_feed.hpp"
#include "run/python/solver_pool.hpp"
#include "run/python/threads/used_threads.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t sample_size = 1024;  // particles

void require_lengths(const ForceArrays& arrays) {
  const std::size_t n = arrays.count();
  if (n == 0) throw InputError("there are no particles: give at least one position");
  if (n > most_array_particles) {
    throw InputError(fmt::format("{} particles are too many: at most {}", n, most_array_particles));
  }
  if (arrays.mass.size() != n) {
    throw InputError(fmt::format("{} positions, but {} masses: give one mass for each", n, arrays.mass.size()));
  }
  if (arrays.results.size() != n) {
    throw InputError("the arrays of results must be as long as the array of positions");
  }
  if (!arrays.previous.empty() && arrays.previous.size() != 3 * n) {
    throw InputError(fmt::format("{} positions, but {} previous accelerations", n, arrays.previous.size() / 3));
  }
}

void require_options(const ArrayForceOptions& options) {
  const auto refuse = [](const char* name, double value, const char* range) {
    throw InputError(fmt::format("{} = {}: it must be a finite number {}", name, value, range));
  };
  const double& box = options.box_size;
  if (!(options.softening >= 0 && options.softening <= largest_number))
    refuse("softening", options.softening, "from 0");
  if (!(box >= 0 && box <= largest_number)) refuse("box", box, "above 0");
  if (!std::isfinite(options.gravitational_constant)) refuse("G", options.gravitational_constant, "");
}

double power_of_two_near(double value) {
  return value > 0 ? std::ldexp(1.0, std::ilogb(value)) : 1;
}

/// Median radius, farthest particle and mean mass of a sample.
SystemScale sampled_scale(HostArrays& at_home, const ForceArrays& whole) {
  const std::size_t n = whole.count(), stride = std::max<std::size_t>(1, n / sample_size);
  const ForceArrays& arrays = whole.on_device ? at_home.sample(stride) : whole;
  const std::size_t step = whole.on_device ? 1 : stride;
  const auto usable = [](double value) { return std::fabs(value) <= largest_number; };
  std::vector<Vec3d> place;
  double mass = 0;
  for (std::size_t i = 0; i < arrays.count(); i += step) {
    const Vec3d p = arrays.position.point(i);
    if (!usable(p.x) || !usable(p.y) || !usable(p.z) || !usable(arrays.mass[i])) continue;  // refused later
    place.push_back(p);
    mass += arrays.mass[i];
  }
  if (place.empty()) return {};
  std::vector<double> value(place.size());
  const auto median = [&](const auto& value_of) {
    std::ranges::transform(place, value.begin(), value_of);
    const auto middle = value.begin() + static_cast<std::ptrdiff_t>(value.size() / 2);
    std::ranges::nth_element(value, middle);
    return *middle;
  };
  Vec3d centre;
  for (int axis = 0; axis < 3; ++axis) centre[axis] = median([axis](Vec3d p) { return p[axis]; });
  SystemScale scale;
  scale.radius = median([centre](Vec3d p) { return norm(p - centre); });
  scale.farthest = *std::ranges::max_element(value);
  if (n == 1) scale.radius = 1;
  scale.mass = mass / static_cast<double>(place.size());
  scale.count = static_cast<double>(n);
  return scale;
}

/// The scale of the system from a sample or, where that has no extent or no mass, from all particles.
SystemScale scale_of(HostArrays& at_home, const ForceArrays& whole) {
  SystemScale scale = sampled_scale(at_home, whole);
  if (scale.radius > 0 && scale.mass > 0) return scale;
  const ForceArrays& arrays = at_home();
  if (!(scale.radius > 0)) {
    Box box;
    for (std::size_t i = 0; i < arrays.count(); ++i) box.include(arrays.position.point(i));
    const double all = norm(box.hi - box.lo) / 2;
    if (all > scale.farthest && all <= largest_number) scale.farthest = all;
  }
  if (!(scale.mass > 0)) {
    for (std::size_t i = 0; i < arrays.count(); ++i) scale.mass += arrays.mass[i] / static_cast<double>(arrays.count());
    if (!(scale.mass <= largest_number)) scale.mass = 0;
  }
  return scale;
}

/// Units in which the system is of order one. Throws InputError if the softening does not suit its size.
Units units_of(const SystemScale& scale, const ArrayForceOptions& options) {
  const double length = options.box_size > 0 ? options.box_size
                        : scale.radius > 0   ? scale.radius
                        : scale.farthest > 0 ? scale.farthest
                                             : options.softening;
  const Units units{power_of_two_near(length), power_of_two_near(scale.mass)};
  constexpr double least_softening = 1e-12, most_softening = 1e6;
  if (options.softening > most_softening * units.length) {
    throw InputError(fmt::format("softening = {:g} is more than {:g} times the size of the system, {:g}",
                                 options.softening, most_softening, length));
  }
  if (options.softening > 0 && options.softening < least_softening * units.length) {
    throw InputError(
        fmt::format("softening = {:g} is less than {:g} of the size of the system, {:g}: give 0 for point masses",
                    options.softening, least_softening, length));
  }
  return units;
}

/// Thrown if the masses of the sample are too small to be the unit of mass; `mean`: that of all particles.
struct HeavierParticles {
  double mean;
};

/// Returns a warning of judge_scale(). Throws InputError if single precision cannot hold the system in these units, or
/// HeavierParticles if it can in others.
std::string judge(const ArrayFeed::Totals& all, SystemScale scale, const ArrayForceOptions& options,
                  const Units& units) {
  constexpr double most_mass = 1e12;
  scale.mass = all.mass / scale.count;
  if (all.heaviest > most_mass * power_of_two_near(scale.mass)) {
    throw InputError(fmt::format("the heaviest particle, {:g}, is more than {:g} times as heavy as the mean, {:g}",
                                 all.heaviest, most_mass, scale.mass));
  }
  if (all.heaviest > most_mass * units.mass) throw HeavierParticles{scale.mass};
  if (options.box_size > 0) return {};
  scale.radius /= units.length;
  scale.farthest = std::max(scale.farthest, all.farthest) / units.length;
  scale.mass /= units.mass;
  return judge_scale(scale, "x");
}

/// Gives the arrays that forces need n elements, and the ids their order.
void prepare(PooledSolver& pooled, std::size_t n, const ArrayForceOptions& options, const Units& units) {
  ParticleSystem& system = pooled.system();
  system.frame = Frame::newtonian;
  system.boundary = options.box_size > 0 ? Boundary::periodic : Boundary::vacuum;
  system.box_size = options.box_size / units.length;
  system.time = 0;
  ParticleStore& p = system.particles;
  const bool ids_are_there = pooled.in_order() && p.id.size() >= n;
  p.for_each_array([n](std::string_view name, auto& array) {
    if (name != "velocity") array.resize(n);  // what stays empty need not be sorted
  });
  if (ids_are_there) return;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) p.id[i] = i;
  pooled.set_in_order(true);
}

/// The times of the parts of a call, in milliseconds, in one line on standard error, if MULTIWALK_TIMES is set.
class CallTimes {
 public:
  void end_part(const char* name) {
    if (wanted_) add(name, wall_time() - part_);
    part_ = wall_time();
  }
  void add(const ForceStatistics& statistics) {
    for (std::size_t p = 0; wanted_ && p < phase_count; ++p) {
      if (statistics.seconds[p] > 0) add(phase_names[p], statistics.seconds[p]);
    }
    if (wanted_) add("results", statistics.delivering);
  }
  void print() const {
    if (wanted_) fmt::print(stderr, "{}all {:.3f} ms\n", text_, 1e3 * (wall_time() - start_));
  }

 private:
  void add(std::string_view name, double seconds) { text_ += fmt::format("{} {:.3f}; ", name, 1e3 * seconds); }

  bool wanted_ = std::getenv("MULTIWALK_TIMES") != nullptr;
  double start_ = wall_time(), part_ = start_;
  std::string text_;
};

/// A call's arrays and the solver that it has borrowed.
struct Call {
  CallTimes times;
  ForceArrays arrays;
  ArrayForceOptions options;
  BorrowedSolver pooled;
  HostArrays at_home;

  Call(const ForceArrays& of, const ArrayForceOptions& by)
      : arrays(of), options(by), pooled(borrow_solver(by.backend)), at_home(arrays, pooled->backend()) {}
};

std::string tree_forces_in(const Units& units, const SystemScale& scale, Call& call) {
  const ForceArrays& arrays = call.arrays;
  const ArrayForceOptions& options = call.options;
  const BorrowedSolver& pooled = call.pooled;
  CallTimes& times = call.times;
  std::string warning;
  ArrayFeed feed(arrays, call.at_home, options, units,
                 [&](const ArrayFeed::Totals& all) { warning = judge(all, scale, options, units); });
  ForceBackend& backend = pooled->backend();
  ParticleSystem& system = pooled->system();
  prepare(*pooled, arrays.count(), options, units);
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
  ForceContext context;
  context.long_range = long_range.get();
  times.end_part("prepare");
  try {
    if (system.boundary == Boundary::vacuum) {
      context.feed = &feed;
    } else {
      fill(system.particles, feed);
      times.end_part("fill");
    }
    times.add(solver.accelerate(system.particles, task.law, context));
    times.end_part("forces");
  } catch (const InputError&) {
    if (feed.refused()) pooled->stays_good();
    throw;
  } catch (const HeavierParticles&) {
    pooled->stays_good();
    throw;
  }
  feed.take_store(system.particles);
  if (arrays.on_device && !feed.wrote_results()) call.at_home.send_results();
  pooled->set_in_order(feed.took_results());
  feed.require_finite();
  times.end_part("store");
  return warning;
}

std::string evaluate(Call& call) {
  call.pooled->stays_good();  // errors before it is used do no harm
  const SystemScale scale = scale_of(call.at_home, call.arrays);
  Units units = units_of(scale, call.options);
  // In this case the feed does not check old accelerations.
  if (call.options.box_size == 0 && !call.options.walks.relative() && !call.arrays.previous.empty()) {
    require_numbers(call.at_home());
  }
  static_cast<void>(call.pooled->ends_good());
  call.times.end_part("scale");
  try {
    return tree_forces_in(units, scale, call);
  } catch (const HeavierParticles& found) {
    units.mass = power_of_two_near(found.mean);
    static_cast<void>(call.pooled->ends_good());
    return tree_forces_in(units, scale, call);
  }
}

/// Finds old accelerations for arrays on a GPU, which the solver would do through its store.
void find_accelerations(Call& call) {
  const GravityOptions wanted = call.options.walks;
  static_cast<OpeningCriterion&>(call.options.walks) = wanted.without_accelerations();
  static_cast<void>(evaluate(call));
  call.options.walks = wanted;
  call.arrays.previous = call.arrays.results.numbers();
  call.at_home.forget();
}

}  // namespace

std::string tree_forces(const ForceArrays& arrays, const ArrayForceOptions& options) {
  require_lengths(arrays);
  const UsedThreads threads(options.threads);
  require_options(options);
  Call call(arrays, options);
  const bool needs_accelerations = options.box_size == 0 && options.walks.relative() && arrays.previous.empty();
  if (arrays.on_device && needs_accelerations && options.gravitational_constant != 0) find_accelerations(call);
  std::string warning = evaluate(call);
  call.times.print();
  return warning;
}

void pair_forces(const ForceArrays& arrays, const ArrayForceOptions& options) {
  require_lengths(arrays);
  const UsedThreads threads(options.threads);
  require_options(options);
  require_numbers(arrays);
  const auto n = static_cast<double>(arrays.count());
  const auto choice = choose_direct_backend(options.backend, {}, options.threads, n * n);
  DirectTask task;
  const auto* const points = reinterpret_cast<const Vec3d*>(arrays.position.all_doubles().data());
  task.source_position = task.target_position = {points, arrays.count()};
  task.source_mass = task.target_mass = arrays.mass.all_doubles();
  task.softening2 = options.softening * options.softening;
  require(!arrays.results.single(), "the results are not in double precision");
  task.acceleration = {static_cast<Vec3d*>(arrays.results.acceleration()), arrays.count()};
  task.potential = {static_cast<double*>(arrays.results.potential()), arrays.count()};
  choice.backend->sum(task);
  for (Vec3d& a : task.acceleration) a = options.gravitational_constant * a;
  for (double& p : task.potential) p *= options.gravitational_constant;
}

}  // namespace multiwalk
