#include "host/direct/direct_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "host/force/simd/simd_kernels.hpp"

namespace multiwalk {

namespace {

/// The power of two next to x; 1 if there is none.
double unit_of(double x) {
  return std::isnormal(x) ? std::ldexp(1, std::clamp(std::ilogb(x), -300, 300)) : 1;
}

Extent extent(std::span<const Vec3d> points) {
  return simd_kernels().extent(points.data(), points.size());
}

double largest(std::span<const double> values) {
  return simd_kernels().largest(values.data(), values.size());
}

/// Of the points of both; `farthest` may be too large.
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

DirectFrame frame_of(const Extent& place, const Extent& motion, double most_mass) {
  return {place.mean, motion.mean, unit_of(place.farthest), unit_of(motion.farthest), unit_of(most_mass)};
}

}  // namespace

DirectFrame direct_frame(const DirectTask& task) {
  return frame_of(extent(task.source_position), extent(task.source_velocity), largest(task.source_mass));
}

DirectFrame direct_frame(const DirectCouple& couple) {
  const DirectBlock &first = couple.first, &second = couple.second;
  return frame_of(extent(first.position, second.position), extent(first.velocity, second.velocity),
                  std::max(largest(first.mass), largest(second.mass)));
}

}  // namespace multiwalk
