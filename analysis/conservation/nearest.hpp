// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest of many points, by a k-d tree (Bentley 1975, CACM 18, 509).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "host/base/vec3.hpp"

namespace multiwalk {

/// The K nearest points found so far, nearest first, and their masses; infinitely far if there are fewer.
template <std::size_t K>
struct NearestPoints {
  std::array<double, K> square;  ///< of the distances
  std::array<double, K> mass{};

  NearestPoints() { square.fill(std::numeric_limits<double>::infinity()); }
  void add(double distance_square, double point_mass) {
    if (!(distance_square < square.back())) return;
    std::size_t place = K - 1;
    for (; place > 0 && square[place - 1] > distance_square; --place) {
      square[place] = square[place - 1];
      mass[place] = mass[place - 1];
    }
    square[place] = distance_square;
    mass[place] = point_mass;
  }
  NearestPoints& operator+=(const NearestPoints& other) {
    for (std::size_t k = 0; k < K; ++k) add(other.square[k], other.mass[k]);
    return *this;
  }
};

/// A copy of the points. A node is a range of them, split at its middle one along its longest axis.
class PointTree {
 public:
  struct Point {
    Vec3d position;
    double mass = 0;
    std::uint64_t id = 0;
  };

  explicit PointTree(std::vector<Point> points);

  /// Adds all points that are among the nearest to `centre`, except point number `except`.
  template <std::size_t K>
  void add_nearest(Vec3d centre, std::uint64_t except, NearestPoints<K>& nearest) const {
    search(0, points_.size(), centre, except, nearest);
  }

 private:
  static constexpr std::size_t leaf = 8;

  void split(std::size_t first, std::size_t last);

  template <std::size_t K>
  void search(std::size_t first, std::size_t last, Vec3d centre, std::uint64_t except,
              NearestPoints<K>& nearest) const {
    const auto take = [&](const Point& point) {
      if (point.id != except) nearest.add(norm2(point.position - centre), point.mass);
    };
    if (last - first <= leaf) {
      for (std::size_t p = first; p < last; ++p) take(points_[p]);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    const double beyond = centre[axis_[middle]] - points_[middle].position[axis_[middle]];
    const bool low = beyond < 0;
    search(low ? first : middle + 1, low ? middle : last, centre, except, nearest);
    take(points_[middle]);
    if (beyond * beyond < nearest.square.back())
      search(low ? middle + 1 : first, low ? last : middle, centre, except, nearest);
  }

  std::vector<Point> points_;
  std::vector<std::uint8_t> axis_;  ///< of the node whose middle point this is
};

}  // namespace multiwalk
