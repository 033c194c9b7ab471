// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/direct/find_frame.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "host/base/hash.hpp"
#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

namespace {

using Points = std::span<const Vec3d>;

/// The largest power of two up to x; 1 if there is none.
double unit_of(double x) {
  return x > 0 ? std::ldexp(1, std::ilogb(x)) : 1;
}

/// Whether products of numbers up to x, measured in that unit, stay in range.
bool has_unit(double x) {
  return x == 0 || (x > 1e-90 && x < 1e90);
}

Extent extent(Points points) {
  return simd_kernels().extent(points.data(), points.size());
}

double largest(std::span<const double> values) {
  return simd_kernels().largest(values.data(), values.size());
}

/// The extent of both sets of points; `farthest` may be too large.
Extent both(const Extent& first, std::size_t n_first, const Extent& second, std::size_t n_second) {
  if (n_first == 0) return second;
  if (n_second == 0) return first;
  const auto a = static_cast<double>(n_first), b = static_cast<double>(n_second);
  Extent all;
  all.mean = (a * first.mean + b * second.mean) * (1 / (a + b));
  for (const Extent& part : {first, second}) {
    const Vec3d shift = part.mean - all.mean;
    const double away = std::max({std::fabs(shift.x), std::fabs(shift.y), std::fabs(shift.z)});
    all.farthest = std::max(all.farthest, away + part.farthest);
  }
  return all;
}

/// The extent of the sources alone, unless targets lie so far outside that coordinates in that unit would leave the
/// range of single precision.
Extent extent_for(Points sources, Points targets) {
  constexpr double reach = 1e9;
  const Extent own = extent(sources);
  const Extent all = both(own, sources.size(), extent(targets), targets.size());
  return all.farthest <= reach * own.farthest ? own : all;
}

/// The resolution of single precision: distances from `distance` times the extent on. A `share` of the bodies may lie
/// closer to another one.
struct Resolution {
  double distance, share;
};

Resolution resolution_of(const DirectPrecision& precision) {
  return precision.splitting == Splitting::hi_lo ? Resolution{1e-8, 0} : Resolution{2e-5, 1.0 / 256};
}

/// Points of both sets at even intervals; of the set that was thinned more, one point in `thinning`.
struct Sample {
  std::vector<Vec3d> points;
  double thinning = 1;
};

Sample sample_of(Points first, Points second, std::size_t most) {
  Sample sample;
  sample.points.reserve(std::min(first.size(), most) + std::min(second.size(), most));
  for (const Points set : {first, second}) {
    const std::size_t count = std::min(set.size(), most);
    for (std::size_t k = 0; k < count; ++k) sample.points.push_back(set[set.size() * k / count]);
    if (count == 0) continue;
    sample.thinning = std::max(sample.thinning, static_cast<double>(set.size()) / static_cast<double>(count));
  }
  return sample;
}

/// The number of points closer than `distance` to an earlier one, but not at exactly the same place.
std::size_t close_pairs(Points points, double distance) {
  std::size_t close = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Points earlier = points.first(i);
    const auto is_close = [&](const Vec3d& other) {
      return !(points[i] == other) && norm2(points[i] - other) < distance * distance;
    };
    close += std::any_of(earlier.begin(), earlier.end(), is_close) ? 1 : 0;
  }
  return close;
}

/// The number of a point's cell; the two cells beside the centre along an axis count as one.
std::uint64_t cell_of(const Vec3d& x, const Vec3d& centre, double side) {
  const Vec3d place = (x - centre) * (1 / side);
  const auto whole = [](double value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); };
  return mix_bits(whole(place.x) * 0x9e3779b97f4a7c15 + whole(place.y) * 0xc2b2ae3d27d4eb4f +
                  whole(place.z) * 0x165667b19e3779f9);
}

/// Close points as in close_pairs, counted only where they share a cell of side `distance`: faces of cells seldom
/// separate points that are much closer.
std::size_t close_in_cells(Points points, const Vec3d& centre, double distance) {
  const std::size_t mask = std::bit_ceil(2 * points.size()) - 1;
  std::vector<const Vec3d*> table(mask + 1);  // the first point of each cell that holds one
  std::size_t close = 0;
  for (const Vec3d& x : points) {
    const std::uint64_t cell = cell_of(x, centre, distance);
    std::size_t at = cell & mask;
    while (table[at] != nullptr && cell_of(*table[at], centre, distance) != cell) at = (at + 1) & mask;
    if (table[at] == nullptr) table[at] = &x;
    close += *table[at] == x ? 0 : 1;
  }
  return close;
}

/// Whether single precision would fail to separate the points, of which at most `most` of each set are examined.
bool too_coarse(Points first, Points second, std::size_t most, const Extent& all, const Resolution& resolution) {
  constexpr std::size_t few = 24;
  if (!(all.farthest > 0)) return false;
  const Sample sample = sample_of(first, second, most);
  const double distance = resolution.distance * all.farthest * std::cbrt(sample.thinning);
  const std::size_t close = sample.points.size() <= few ? close_pairs(sample.points, distance)
                                                        : close_in_cells(sample.points, all.mean, distance);
  return static_cast<double>(close) > resolution.share * static_cast<double>(sample.points.size());
}

/// The bodies between which pairs are summed.
struct Sets {
  Points first, second, first_velocity, second_velocity;
  std::size_t pairs;
};

bool too_coarse(const Sets& sets, const Extent& place, const Extent& motion, double softening2,
                const Resolution& resolution) {
  constexpr std::size_t pairs_of_one_seen = 64, least_seen = 256, most_seen = 4096, velocities_seen = 64;
  const std::size_t seen = std::clamp(sets.pairs / pairs_of_one_seen, least_seen, most_seen);
  const bool softened = std::sqrt(softening2) > resolution.distance * place.farthest;
  return (!softened && too_coarse(sets.first, sets.second, seen, place, resolution)) ||
         too_coarse(sets.first_velocity, sets.second_velocity, velocities_seen, motion, resolution);
}

DirectFrame frame_of(const Sets& sets, const Extent& place, const Extent& motion, double most_mass, double softening2,
                     const DirectPrecision& precision) {
  const bool in_range = is_finite(place.mean) && is_finite(motion.mean) && has_unit(place.farthest) &&
                        has_unit(motion.farthest) && has_unit(most_mass);
  DirectFrame frame;
  frame.full = !in_range || too_coarse(sets, place, motion, softening2, resolution_of(precision));
  if (frame.full) return frame;
  return {place.mean, motion.mean, unit_of(place.farthest), unit_of(motion.farthest), unit_of(most_mass)};
}

}  // namespace

DirectFrame direct_frame(const DirectTask& task) {
  Sets sets{
      task.source_position, {}, task.source_velocity, {}, task.source_position.size() * task.target_position.size()};
  if (!task.mutual()) {
    sets.second = task.target_position;
    sets.second_velocity = task.target_velocity;
  }
  return frame_of(sets, extent_for(sets.first, sets.second), extent_for(sets.first_velocity, sets.second_velocity),
                  largest(task.source_mass), task.softening2, task.precision);
}

DirectFrame direct_frame(const DirectCouple& couple) {
  const DirectBlock &a = couple.first, &b = couple.second;
  const Sets sets{a.position, b.position, a.velocity, b.velocity, a.position.size() * b.position.size()};
  const Extent place = both(extent(a.position), a.position.size(), extent(b.position), b.position.size());
  const Extent motion = both(extent(a.velocity), a.velocity.size(), extent(b.velocity), b.velocity.size());
  return frame_of(sets, place, motion, std::max(largest(a.mass), largest(b.mass)), couple.softening2, couple.precision);
}

}  // namespace multiwalk
