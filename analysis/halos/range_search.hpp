// SPDX-License-Identifier: GPL-3.0-or-later
// Finds all particles of this process within a radius.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "host/base/box.hpp"
#include "host/base/large_memory.hpp"
#include "host/base/separation.hpp"

namespace multiwalk {

/// The particles sorted by the cubic cells of their bounding box, on average two per cell. Memory: 6 bytes per
/// particle.
class RangeSearch {
 public:
  /// Positions in [0, period), or period 0 for a vacuum; they must stay where they are.
  RangeSearch(std::span<const Vec3d> position, double period);

  /// Calls act(squared distance, index) once for every particle at most `radius` from `centre`, to the nearest image,
  /// in no particular order; radius <= period / 2. The distances are the same to the last bit, whichever process holds
  /// the particle.
  template <class Act>
  void for_each_within(Vec3d centre, double radius, Act act) const {
    for (int image = 0; image < 27; ++image) {
      const std::array<int, 3> apart{image / 9 - 1, image / 3 % 3 - 1, image % 3 - 1};
      if (!(period_ > 0) && image != 13) continue;
      search_image(centre, radius, apart, act);
    }
  }

 private:
  /// Only particles whose nearest image is `apart` periods away.
  template <class Act>
  void search_image(Vec3d centre, double radius, std::array<int, 3> apart, Act act) const {
    std::size_t low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double x = centre[axis] + apart[static_cast<std::size_t>(axis)] * period_, margin = radius * (1 + 1e-9);
      if (box_.empty() || x + margin < box_.lo[axis] || x - margin > box_.hi[axis]) return;
      low[axis] = cell_number(x - margin, axis);
      high[axis] = cell_number(x + margin, axis);
    }
    for (std::size_t i = low[0]; i <= high[0]; ++i) {
      for (std::size_t j = low[1]; j <= high[1]; ++j) {
        const std::size_t row = (i * size_[1] + j) * size_[2];
        for (std::size_t k = first_[row + low[2]]; k < first_[row + high[2] + 1]; ++k)
          consider(index_[k], centre, radius, apart, act);
      }
    }
  }

  template <class Act>
  void consider(std::uint32_t index, Vec3d centre, double radius, std::array<int, 3> apart, Act act) const {
    const Vec3d position = position_[index];
    for (int axis = 0; axis < 3; ++axis)
      if (images_apart(centre[axis], position[axis], period_) != apart[static_cast<std::size_t>(axis)]) return;
    const double square = norm2(separation(centre, position, period_));
    if (square <= radius * radius) act(square, index);
  }

  [[nodiscard]] std::size_t cell_number(double x, int axis) const {
    const double number = (x - box_.lo[axis]) / side_, last = static_cast<double>(size_[axis] - 1);
    return static_cast<std::size_t>(std::clamp(number, 0.0, last));
  }

  std::span<const Vec3d> position_;
  Box box_;
  double period_;
  double side_ = 1;
  std::size_t size_[3] = {1, 1, 1};
  LargeArray<std::uint32_t> first_;  ///< (cells + 2) the last is unused
  LargeArray<std::uint32_t> index_;  ///< (N) by cell
};

}  // namespace multiwalk
