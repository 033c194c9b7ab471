// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/range_search.hpp"

#include <cmath>

#include "host/particles/particle_store.hpp"

namespace multiwalk {

RangeSearch::RangeSearch(std::span<const Vec3d> position, double period)
    : box_(bounding_box(position)), period_(period) {
  const auto n = static_cast<double>(position.size());
  if (!position.empty()) {
    const Vec3d extent = box_.hi - box_.lo;
    const double longest = std::max({extent.x, extent.y, extent.z});
    const double volume =
        std::max(extent.x, 0.01 * longest) * std::max(extent.y, 0.01 * longest) * std::max(extent.z, 0.01 * longest);
    if (longest > 0) side_ = std::cbrt(2 * volume / n);
    for (int axis = 0; axis < 3; ++axis) size_[axis] = static_cast<std::size_t>(extent[axis] / side_) + 1;
  }
  const auto cell_of = [&](Vec3d x) {
    return (cell_number(x.x, 0) * size_[1] + cell_number(x.y, 1)) * size_[2] + cell_number(x.z, 2);
  };
  std::vector<std::uint32_t> next(size_[0] * size_[1] * size_[2] + 1, 0);
  for (const Vec3d& x : position) ++next[cell_of(x) + 1];
  for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
  first_ = next;
  point_.resize(position.size());
  for (std::size_t i = 0; i < position.size(); ++i)
    point_[next[cell_of(position[i])]++] = {position[i], static_cast<std::uint32_t>(i)};
}

}  // namespace multiwalk
