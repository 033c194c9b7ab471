#include "host/direct/direct_frame.hpp"

#include <algorithm>
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

}  // namespace

DirectFrame direct_frame(const DirectTask& task) {
  DirectFrame frame;
  const Extent place = extent(task.source_position), motion = extent(task.source_velocity);
  frame.centre = place.mean;
  frame.velocity = motion.mean;
  frame.length = unit_of(place.farthest);
  frame.speed = unit_of(motion.farthest);
  double heaviest = 0;
  for (const double m : task.source_mass) heaviest = std::max(heaviest, std::abs(m));
  frame.mass = unit_of(heaviest);
  return frame;
}

}  // namespace multiwalk
