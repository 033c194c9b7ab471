// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/array_feed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "host/base/error.hpp"
#include "host/base/host_device.hpp"
#include "host/base/separation.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t columns = 24;  // coordinates: whole SIMD vectors and whole points

bool usable(double value) {
  return std::fabs(value) <= largest_number;
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

/// Returns whether all n points can be used. Extends `box` by the scaled points.
bool scale_points(const double* from, std::size_t n, double factor, Vec3d* to, Box& box) {
  double least[columns], most[columns];
  std::fill_n(least, columns, std::numeric_limits<double>::infinity());
  std::fill_n(most, columns, -std::numeric_limits<double>::infinity());
  const std::size_t whole = n / (columns / 3) * (columns / 3);
  bool good = scale_columns(from, 3 * whole, factor, &to->x, least, most) == 0;
  for (std::size_t k = 0; whole > 0 && k < columns; k += 3) {
    box.include(Vec3d{least[k], least[k + 1], least[k + 2]});
    box.include(Vec3d{most[k], most[k + 1], most[k + 2]});
  }
  for (std::size_t i = whole; i < n; ++i) {
    const Vec3d p{from[3 * i], from[3 * i + 1], from[3 * i + 2]};
    good = good && usable(p.x) && usable(p.y) && usable(p.z);
    to[i] = factor * p;
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

using Room = std::array<double, 3 * ParticleFeed::part>;

/// Calls act(k, begin, count) for each part of the particles first to first + count - 1. `k` numbers the parts of all
/// particles; `begin` counts from `first`.
template <class Act>
void for_each_part(std::size_t first, std::size_t count, const Act& act) {
  constexpr std::size_t size = ParticleFeed::part;
  for (std::size_t begin = 0; begin < count; begin += size) {
    act((first + begin) / size, begin, std::min(size, count - begin));
  }
}

/// The first of the numbers that cannot be used, or their number.
template <class Usable>
std::size_t first_wrong(const NumberArray& numbers, const Usable& is_usable) {
  std::size_t i = 0;
  while (i < numbers.size() && is_usable(numbers[i])) ++i;
  return i;
}

}  // namespace

void require_numbers(const ForceArrays& arrays) {
  const auto is_usable = [](double value) { return usable(value); };
  if (const std::size_t c = first_wrong(arrays.position, is_usable); c < arrays.position.size()) {
    const std::size_t i = c / 3;
    const Vec3d p = arrays.position.point(i);
    throw InputError(fmt::format("position {} is ({}, {}, {}): it must be finite and within {:g}", i, p.x, p.y, p.z,
                                 largest_number));
  }
  if (const std::size_t i = first_wrong(arrays.mass, [](double m) { return m >= 0 && usable(m); });
      i < arrays.mass.size()) {
    throw InputError(fmt::format("mass {} is {}: it must be finite, not negative and at most {:g}", i, arrays.mass[i],
                                 largest_number));
  }
  const std::size_t c = first_wrong(arrays.previous, is_usable);
  if (c < arrays.previous.size()) throw InputError(fmt::format("previous acceleration {} is not finite", c / 3));
}

NumberArray HostArrays::copied(const NumberArray& from, std::size_t columns, std::size_t stride, Memory& memory) {
  if (from.data() == nullptr) return from;
  const std::size_t row = columns * from.element_bytes(), rows = (from.size() / columns + stride - 1) / stride;
  LargeArray<std::byte>& to = memory.emplace_back(row * rows);
  backend_.copy_rows(to.data(), from.data(), row, stride * row, rows);
  return from.at(to.data(), columns * rows);
}

NumberArray HostArrays::masses(std::size_t stride, Memory& memory) {
  if (arrays_.mass.data() != nullptr) return copied(arrays_.mass, 1, stride, memory);
  return {arrays_.mass[0], (arrays_.count() + stride - 1) / stride};
}

const ForceArrays& HostArrays::sample(std::size_t stride) {
  if (!sample_.position.empty()) return sample_;
  sample_.position = points(arrays_.position, stride);
  sample_.mass = masses(stride, samples_);
  return sample_;
}

const ForceArrays& HostArrays::operator()() {
  if (!arrays_.on_device) return arrays_;
  if (copied_) return copies_;
  memory_.clear();
  copies_.position = copied(arrays_.position, 3, 1, memory_);
  copies_.mass = masses(1, memory_);
  copies_.previous = copied(arrays_.previous, 3, 1, memory_);
  const std::size_t bytes = arrays_.count() * arrays_.results.number_bytes();
  acceleration_.resize(3 * bytes);
  potential_.resize(bytes);
  copies_.results = arrays_.results.at(acceleration_.data(), potential_.data());
  copied_ = true;
  return copies_;
}

void HostArrays::forget() {
  copied_ = false;
}

void HostArrays::send_results() {
  const std::size_t n = arrays_.count(), each = arrays_.results.number_bytes();
  backend_.copy_rows(arrays_.results.acceleration(), acceleration_.data(), 3 * each, 3 * each, n);
  backend_.copy_rows(arrays_.results.potential(), potential_.data(), each, each, n);
}

ArrayFeed::ArrayFeed(const ForceArrays& arrays, HostArrays& at_home, const ArrayForceOptions& options,
                     const Units& units, std::function<void(const Totals&)> judge)
    : arrays_(arrays),
      at_home_(at_home),
      units_(units),
      judge_(std::move(judge)),
      period_(options.box_size / units.length),
      old_factor_(units.length * units.length / (units.mass * options.gravitational_constant)),
      potential_factor_(options.gravitational_constant * (units.mass / units.length)),
      pull_factor_(potential_factor_ / units.length),
      positions_((arrays.count() + part - 1) / part),
      masses_(positions_.size()) {
  if (arrays.previous.empty() || !std::isfinite(old_factor_)) old_factor_ = 0;
  raw_ = {arrays.position, arrays.mass,    arrays.previous, 1 / units.length, 1 / units.mass,
          old_factor_,     arrays.results, pull_factor_,    potential_factor_};
}

bool ArrayFeed::knows_accelerations() const {
  if (old_factor_ == 0) return false;
  const auto any = [this](const NumberArray& old) {
    std::size_t i = 0;
    while (i < old.size() && static_cast<float>(old_factor_ * old[i]) == 0) ++i;
    return i < old.size();
  };
  constexpr std::size_t sample_size = 1024;
  return (arrays_.on_device && any(at_home_.points(arrays_.previous, arrays_.count() / sample_size + 1))) ||
         any(at_home_().previous);
}

void ArrayFeed::refuse_unless(bool usable) {
  if (usable) return;
  refused_ = true;
  require_numbers(at_home_());
}

void ArrayFeed::found_positions(const FoundNumbers& found) {
  std::ranges::fill(positions_, Part{});
  positions_[0] = {found.box, 0, 0, found.usable};
}

void ArrayFeed::found_masses(const FoundNumbers& found) {
  std::ranges::fill(masses_, Part{});
  masses_[0] = {{}, found.mass, found.heaviest, found.usable};
}

void ArrayFeed::give_positions(std::size_t first, std::span<Vec3d> position) {
  Room room;
  for_each_part(first, position.size(), [&](std::size_t k, std::size_t begin, std::size_t count) {
    const double* const from = at_home_().position.doubles(3 * (first + begin), 3 * count, room.data());
    const std::span<Vec3d> to = position.subspan(begin, count);
    Part found;
    found.usable = scale_points(from, count, 1 / units_.length, to.data(), found.box);
    if (period_ > 0) {
      found.box = {};
      for (Vec3d& p : to) found.box.include(p = wrapped(p, period_));
    }
    positions_[k] = found;
  });
}

Box ArrayFeed::end_positions() {
  Box box;
  for (const Part& found : positions_) {
    refuse_unless(found.usable);
    box.include(found.box);
  }
  return box;
}

void ArrayFeed::give_masses(std::size_t first, std::span<float> mass) {
  Room room;
  for_each_part(first, mass.size(), [&](std::size_t k, std::size_t begin, std::size_t count) {
    const double* const from = at_home_().mass.doubles(first + begin, count, room.data());
    const Masses found = scale_masses(from, count, 1 / units_.mass, &mass[begin]);
    masses_[k] = {{}, found.total, found.heaviest, found.wrong == 0};
  });
}

void ArrayFeed::end_masses() {
  Totals all;
  Box box;
  for (std::size_t k = 0; k < masses_.size(); ++k) {
    refuse_unless(masses_[k].usable);
    box.include(positions_[k].box);
    all.mass += masses_[k].mass;
    all.heaviest = std::max(all.heaviest, masses_[k].heaviest);
  }
  all.farthest = norm(box.hi - box.lo) / 2 * units_.length;
  refused_ = true;
  judge_(all);
  refused_ = false;
}

void ArrayFeed::give_accelerations(std::size_t first, std::span<Vec3f> acceleration) {
  if (arrays_.previous.empty()) {
    std::ranges::fill(acceleration, Vec3f{});
    return;
  }
  Room room;
  for_each_part(first, acceleration.size(), [&](std::size_t, std::size_t begin, std::size_t count) {
    const double* const from = at_home_().previous.doubles(3 * (first + begin), 3 * count, room.data());
    if (scale_to_single(from, 3 * count, old_factor_, &acceleration[begin].x) != 0) old_usable_ = false;
  });
}

void ArrayFeed::end_accelerations() {
  refuse_unless(old_usable_);
}

template <class Point, class Number, class Store>
bool ArrayFeed::put(Vec3f acceleration, float potential, Point& to_acceleration, Number& to_potential,
                    const Store& store) const {
  const Vec3d a = pull_factor_ * Vec3d(acceleration);
  const auto x = static_cast<Number>(a.x), y = static_cast<Number>(a.y), z = static_cast<Number>(a.z);
  const auto phi = static_cast<Number>(potential_factor_ * static_cast<double>(potential));
  store(&to_acceleration.x, x);
  store(&to_acceleration.y, y);
  store(&to_acceleration.z, z);
  store(&to_potential, phi);
  return std::isfinite(static_cast<double>(x) + static_cast<double>(y) + static_cast<double>(z)) && std::isfinite(phi);
}

void ArrayFeed::take_results(std::size_t first, std::span<const Vec3f> acceleration, std::span<const float> potential) {
  const auto store = [](auto* place, auto value) { store_uncached(place, value); };
  const bool finite = at_home_().results.with_type([&](auto* to_acceleration, auto* to_potential) {
    bool all = true;
    for (std::size_t i = 0; i < acceleration.size(); ++i) {
      all &= put(acceleration[i], potential[i], to_acceleration[first + i], to_potential[first + i], store);
    }
    return all;
  });
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!finite) finite_ = false;
  took_ = true;
}

void ArrayFeed::wrote_results(bool finite) {
  finite_ = finite;
  took_ = wrote_ = true;
}

void ArrayFeed::take_store(const ParticleStore& particles) {
  if (took_) return;
  const auto store = [](auto* place, auto value) { *place = value; };
  finite_ = at_home_().results.with_type([&](auto* to_acceleration, auto* to_potential) {
    bool all = true;
#pragma omp parallel for schedule(static) reduction(&& : all)
    for (std::size_t i = 0; i < particles.size(); ++i) {
      const std::size_t place = particles.id[i];
      const bool finite =
          put(particles.acceleration[i], particles.potential[i], to_acceleration[place], to_potential[place], store);
      all = finite && all;
    }
    return all;
  });
}

void ArrayFeed::require_finite() const {
  if (finite_) return;
  constexpr const char* single = "; or forces in your units exceed float32: give results in float64";
  throw InputError(
      fmt::format("forces are not finite: some particles are too close to each other for single precision; give a "
                  "softening, or use direct_forces{}",
                  arrays_.results.single() ? single : ""));
}

}  // namespace multiwalk
