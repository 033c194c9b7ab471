// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/range_search.hpp"

#include <atomic>
#include <cmath>

#include "host/base/parallel_arrays.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

RangeSearch::RangeSearch(std::span<const Vec3d> position, double period)
    : position_(position), box_(bounding_box(position)), period_(period) {
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
  const std::size_t cells = size_[0] * size_[1] * size_[2];
  // At c + 2 the particles of cell c; then at c + 1 where its next particle belongs, in the end where cell c + 1
  // begins.
  first_.resize(cells + 2);
  fill_parallel(std::span(first_), std::uint32_t{0});
  const auto next_number = [this](std::size_t at) {
    return std::atomic_ref(first_[at]).fetch_add(1, std::memory_order_relaxed);
  };
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < position.size(); ++i) next_number(cell_of(position[i]) + 2);
  running_sum(std::span(first_));
  index_.resize(position.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < position.size(); ++i)
    index_[next_number(cell_of(position[i]) + 1)] = static_cast<std::uint32_t>(i);
}

}  // namespace multiwalk
