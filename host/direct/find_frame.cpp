// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/direct/find_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

namespace {

/// The power of two closest to x; 1 if there is none.
double unit_of(double x) {
  return std::isnormal(x) ? std::ldexp(1, std::clamp(std::ilogb(x), -300, 300)) : 1;
}

Extent extent(std::span<const Vec3d> points) {
  return simd_kernels().extent(points.data(), points.size());
}

double largest(std::span<const double> values) {
  return simd_kernels().largest(values.data(), values.size());
}

/// The extent of both sets of points; `farthest` may be too large.
Extent extent(std::span<const Vec3d> first, std::span<const Vec3d> second) {
  const std::array parts{extent(first), extent(second)};
  const auto a = static_cast<double>(first.size()), b = static_cast<double>(second.size());
  Extent both;
  both.mean = (a * parts[0].mean + b * parts[1].mean) * (1 / std::max(a + b, 1.0));
  for (const Extent& part : parts) {
    const Vec3d shift = part.mean - both.mean;
    const double away = std::max({std::fabs(shift.x), std::fabs(shift.y), std::fabs(shift.z)});
    both.farthest = std::max(both.farthest, away + part.farthest);
  }
  return both;
}

constexpr std::size_t few = 16;        // up to this many points, all distances are compared
constexpr std::size_t most_seen = 64;  // largest sample of points

/// Points of both sets, one set after the other, at even intervals.
std::vector<Vec3d> sample_of(std::span<const Vec3d> first, std::span<const Vec3d> second) {
  const std::size_t all = first.size() + second.size(), count = std::min(all, most_seen);
  std::vector<Vec3d> sample;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = all * k / count;
    sample.push_back(i < first.size() ? first[i] : second[i - first.size()]);
  }
  return sample;
}

/// The width of the range that contains the middle half; the largest over the axes.
double middle_half(std::span<const Vec3d> points) {
  std::array<std::vector<double>, 3> axes;
  for (const Vec3d& x : points) {
    axes[0].push_back(x.x);
    axes[1].push_back(x.y);
    axes[2].push_back(x.z);
  }
  double widest = 0;
  for (std::vector<double>& axis : axes) {
    std::ranges::sort(axis);
    widest = std::max(widest, axis[axis.size() - 1 - axis.size() / 4] - axis[axis.size() / 4]);
  }
  return widest;
}

/// The smallest distance that is not 0; infinite if there is none.
double smallest_distance(std::span<const Vec3d> points) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = norm(points[i] - points[j]);
      if (distance > 0) least = std::min(least, distance);
    }
  }
  return least;
}

bool too_coarse(std::span<const Vec3d> first, std::span<const Vec3d> second, double farthest, double softening,
                double resolution) {
  const double resolved = resolution * farthest;
  if (!(farthest > 0) || softening > resolved) return false;
  const std::size_t all = first.size() + second.size();
  const std::vector<Vec3d> sample = sample_of(first, second);
  if (all <= few) return smallest_distance(sample) < resolved;
  return middle_half(sample) / std::cbrt(static_cast<double>(all)) < resolved;
}

/// Velocities of bodies at rest need no resolution.
bool motion_too_coarse(std::span<const Vec3d> first, std::span<const Vec3d> second, double fastest, double resolution) {
  if (!(fastest > 0)) return false;
  const double typical = middle_half(sample_of(first, second));
  return typical > 0 && typical < resolution * fastest;
}

double resolution_of(const DirectPrecision& precision) {
  return precision.splitting == Splitting::hi_lo ? 1e-8 : 2e-5;
}

DirectFrame frame_of(const Extent& place, const Extent& motion, double most_mass) {
  DirectFrame frame{place.mean, motion.mean, unit_of(place.farthest), unit_of(motion.farthest), unit_of(most_mass)};
  frame.full = !std::isfinite(place.farthest) || !std::isfinite(motion.farthest);
  return frame;
}

}  // namespace

DirectFrame direct_frame(const DirectTask& task) {
  const Extent place = extent(task.source_position), motion = extent(task.source_velocity);
  DirectFrame frame = frame_of(place, motion, largest(task.source_mass));
  const double resolution = resolution_of(task.precision);
  frame.full = frame.full ||
               too_coarse(task.source_position, {}, place.farthest, std::sqrt(task.softening2), resolution) ||
               motion_too_coarse(task.source_velocity, {}, motion.farthest, resolution);
  return frame;
}

DirectFrame direct_frame(const DirectCouple& couple) {
  const DirectBlock &first = couple.first, &second = couple.second;
  const Extent place = extent(first.position, second.position), motion = extent(first.velocity, second.velocity);
  DirectFrame frame = frame_of(place, motion, std::max(largest(first.mass), largest(second.mass)));
  const double resolution = resolution_of(couple.precision);
  frame.full = frame.full ||
               too_coarse(first.position, second.position, place.farthest, std::sqrt(couple.softening2), resolution) ||
               motion_too_coarse(first.velocity, second.velocity, motion.farthest, resolution);
  return frame;
}

}  // namespace multiwalk
