// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/conservation/nearest.hpp"

#include <algorithm>

#include "host/base/box.hpp"

namespace multiwalk {

PointTree::PointTree(std::vector<Point> points) : points_(std::move(points)), axis_(points_.size()) {
  split(0, points_.size());
}

void PointTree::split(std::size_t first, std::size_t last) {
  if (last - first <= leaf) return;
  Box box;
  for (std::size_t p = first; p < last; ++p) box.include(points_[p].position);
  const Vec3d extent = box.hi - box.lo;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const std::size_t middle = first + (last - first) / 2;
  const auto at = [&](std::size_t p) { return points_.begin() + static_cast<std::ptrdiff_t>(p); };
  std::nth_element(at(first), at(middle), at(last),
                   [axis](const Point& a, const Point& b) { return a.position[axis] < b.position[axis]; });
  axis_[middle] = static_cast<std::uint8_t>(axis);
  split(first, middle);
  split(middle + 1, last);
}

}  // namespace multiwalk
