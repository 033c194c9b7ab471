// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/array_feed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "host/base/error.hpp"
#include "host/base/host_device.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t columns = 24;  // coordinates: whole SIMD vectors and whole points

bool usable(double value) {
  return std::fabs(value) <= largest_number;
}
bool usable(Vec3d p) {
  return usable(p.x) && usable(p.y) && usable(p.z);
}

/// to[i] = factor x from[i] for n coordinates, a multiple of 24. Updates the extremes `least` and `most` of the results
/// in each of 24 columns. Returns how many coordinates cannot be used.
MULTIWALK_VECTOR_CLONES double scale_columns(const double* from, std::size_t n, double factor, double* to,
                                             double* least, double* most) {
  double wrong[columns] = {};
  for (std::size_t at = 0; at < n; at += columns) {
#pragma omp simd
    for (std::size_t k = 0; k < columns; ++k) {
      const double value = from[at + k], scaled = factor * value;
      wrong[k] += std::fabs(value) <= largest_number ? 0.0 : 1.0;
      least[k] = scaled < least[k] ? scaled : least[k];
      most[k] = scaled > most[k] ? scaled : most[k];
      to[at + k] = scaled;
    }
  }
  double all = 0;
  for (const double count : wrong) all += count;
  return all;
}

/// Returns whether all points can be used. Extends `box` by the scaled points.
bool scale_points(std::span<const Vec3d> from, double factor, Vec3d* to, Box& box) {
  double least[columns], most[columns];
  std::fill_n(least, columns, std::numeric_limits<double>::infinity());
  std::fill_n(most, columns, -std::numeric_limits<double>::infinity());
  const std::size_t whole = from.size() / (columns / 3) * (columns / 3);
  bool good = scale_columns(&from.data()->x, 3 * whole, factor, &to->x, least, most) == 0;
  for (std::size_t k = 0; whole > 0 && k < columns; k += 3) {
    box.include(Vec3d{least[k], least[k + 1], least[k + 2]});
    box.include(Vec3d{most[k], most[k + 1], most[k + 2]});
  }
  for (std::size_t i = whole; i < from.size(); ++i) {
    good = good && usable(from[i]);
    to[i] = factor * from[i];
    box.include(to[i]);
  }
  return good;
}

struct Masses {
  double total = 0, heaviest = 0, wrong = 0;
};

MULTIWALK_VECTOR_CLONES Masses scale_masses(const double* from, std::size_t n, double factor, float* to) {
  double total = 0, heaviest = 0, wrong = 0;
#pragma omp simd reduction(+ : total, wrong) reduction(max : heaviest)
  for (std::size_t i = 0; i < n; ++i) {
    const double mass = from[i];
    wrong += mass >= 0 && mass <= largest_number ? 0.0 : 1.0;
    total += mass;
    heaviest = mass > heaviest ? mass : heaviest;
    to[i] = static_cast<float>(factor * mass);
  }
  return {total, heaviest, wrong};
}

/// Returns how many cannot be used.
MULTIWALK_VECTOR_CLONES double scale_to_single(const double* from, std::size_t n, double factor, float* to) {
  double wrong = 0;
#pragma omp simd reduction(+ : wrong)
  for (std::size_t i = 0; i < n; ++i) {
    wrong += std::fabs(from[i]) <= largest_number ? 0.0 : 1.0;
    to[i] = static_cast<float>(factor * from[i]);
  }
  return wrong;
}

bool all_usable(std::span<const Vec3d> points) {
  return std::ranges::all_of(points, [](Vec3d p) { return usable(p); });
}

/// Calls act(k, begin, count) on all threads for each part of the particles first to first + count - 1. `k` numbers the
/// parts of all particles; `begin` counts from `first`.
template <class Act>
void for_each_part(std::size_t first, std::size_t count, const Act& act) {
  constexpr std::size_t size = ParticleFeed::part;
  const std::size_t parts = (count + size - 1) / size;
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < parts; ++k) act(first / size + k, k * size, std::min(size, count - k * size));
}

template <class Element, class Usable>
std::size_t first_wrong(std::span<const Element> array, const Usable& is_usable) {
  return static_cast<std::size_t>(std::ranges::find_if_not(array, is_usable) - array.begin());
}

}  // namespace

void require_numbers(const ForceArrays& arrays) {
  const std::size_t n = arrays.position.size();
  if (const std::size_t i = first_wrong(arrays.position, [](Vec3d p) { return usable(p); }); i < n) {
    const Vec3d p = arrays.position[i];
    throw InputError(fmt::format("position {} is ({}, {}, {}): it must be finite and within {:g}", i, p.x, p.y, p.z,
                                 largest_number));
  }
  if (const std::size_t i = first_wrong(arrays.mass, [](double m) { return m >= 0 && usable(m); }); i < n) {
    throw InputError(fmt::format("mass {} is {}: it must be finite, not negative and at most {:g}", i, arrays.mass[i],
                                 largest_number));
  }
  const std::size_t i = first_wrong(arrays.previous, [](Vec3d a) { return usable(a); });
  if (i < arrays.previous.size()) throw InputError(fmt::format("previous acceleration {} is not finite", i));
}

ArrayFeed::ArrayFeed(const ForceArrays& arrays, const ArrayForceOptions& options, const Units& units,
                     std::function<void(const Totals&)> judge)
    : arrays_(arrays),
      units_(units),
      judge_(std::move(judge)),
      old_factor_(units.length * units.length / (units.mass * options.gravitational_constant)),
      potential_factor_(options.gravitational_constant * (units.mass / units.length)),
      pull_factor_(potential_factor_ / units.length),
      positions_((arrays.position.size() + part - 1) / part),
      rest_(positions_.size()) {
  if (arrays.previous.empty() || !std::isfinite(old_factor_)) old_factor_ = 0;
}

bool ArrayFeed::knows_accelerations() const {
  return old_factor_ != 0 &&
         std::ranges::any_of(arrays_.previous, [&](Vec3d a) { return Vec3f(old_factor_ * a) != Vec3f{}; });
}

void ArrayFeed::give_positions(std::size_t first, std::span<Vec3d> position) {
  for_each_part(first, position.size(), [&](std::size_t k, std::size_t begin, std::size_t count) {
    Part found;
    found.usable =
        scale_points(arrays_.position.subspan(first + begin, count), 1 / units_.length, &position[begin], found.box);
    positions_[k] = found;
  });
}

Box ArrayFeed::end_positions() {
  refused_ = true;
  Box box;
  for (const Part& found : positions_) {
    if (!found.usable) require_numbers(arrays_);
    box.include(found.box);
  }
  refused_ = false;
  return box;
}

void ArrayFeed::give_rest(std::size_t first, std::span<float> mass, std::span<Vec3f> acceleration) {
  for_each_part(first, mass.size(), [&](std::size_t k, std::size_t begin, std::size_t count) {
    const Masses found = scale_masses(&arrays_.mass[first + begin], count, 1 / units_.mass, &mass[begin]);
    bool good = found.wrong == 0;
    if (!arrays_.previous.empty()) {
      const auto old = arrays_.previous.subspan(first + begin, count);
      good = good && (acceleration.empty()
                          ? all_usable(old)
                          : scale_to_single(&old.data()->x, 3 * count, old_factor_, &acceleration[begin].x) == 0);
    } else if (!acceleration.empty()) {
      std::ranges::fill(acceleration.subspan(begin, count), Vec3f{});
    }
    rest_[k] = {{}, found.total, found.heaviest, good};
  });
}

void ArrayFeed::end_rest() {
  refused_ = true;
  Totals all;
  Box box;
  for (std::size_t k = 0; k < rest_.size(); ++k) {
    if (!rest_[k].usable) require_numbers(arrays_);
    box.include(positions_[k].box);
    all.mass += rest_[k].mass;
    all.heaviest = std::max(all.heaviest, rest_[k].heaviest);
  }
  all.farthest = norm(box.hi - box.lo) / 2 * units_.length;
  judge_(all);
  refused_ = false;
}

void ArrayFeed::take_results(std::size_t first, std::span<const Vec3f> acceleration, std::span<const float> potential) {
  bool finite = true;
#pragma omp parallel reduction(&& : finite)
  {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < acceleration.size(); ++i) {
      const Vec3d a = pull_factor_ * Vec3d(acceleration[i]);
      const double phi = potential_factor_ * static_cast<double>(potential[i]);
      finite = finite && std::isfinite(a.x + a.y + a.z) && std::isfinite(phi);
      Vec3d& to = arrays_.acceleration[first + i];
      store_uncached(&to.x, a.x);
      store_uncached(&to.y, a.y);
      store_uncached(&to.z, a.z);
      store_uncached(&arrays_.potential[first + i], phi);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  finite_ = finite_ && finite;
  took_ = true;
}

void ArrayFeed::take_store(const ParticleStore& particles) {
  if (took_) return;
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3d a = pull_factor_ * Vec3d(particles.acceleration[i]);
    const double phi = potential_factor_ * static_cast<double>(particles.potential[i]);
    finite = finite && std::isfinite(a.x + a.y + a.z) && std::isfinite(phi);
    arrays_.acceleration[particles.id[i]] = a;
    arrays_.potential[particles.id[i]] = phi;
  }
  finite_ = finite;
}

void ArrayFeed::require_finite() const {
  if (finite_) return;
  throw InputError(
      "forces are not finite: some particles are too close to each other for single precision; give a softening, or "
      "use direct_forces");
}

}  // namespace multiwalk
