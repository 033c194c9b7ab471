// SPDX-License-Identifier: GPL-3.0-or-later
// Morton keys: 21 bits per axis, x highest in each triple.
#pragma once

#include <cmath>
#include <cstdint>

#include "host/base/box.hpp"
#include "host/base/host_device.hpp"

namespace multiwalk {

inline constexpr int key_levels = 21;  ///< deepest tree level

/// Spreads the low 21 bits of x to every third bit.
MULTIWALK_HOST_DEVICE std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

/// Inverse of spread_bits.
MULTIWALK_HOST_DEVICE std::uint64_t gather_bits(std::uint64_t x) {
  x &= 0x1249249249249249;
  x = (x | x >> 2) & 0x10c30c30c30c30c3;
  x = (x | x >> 4) & 0x100f00f00f00f00f;
  x = (x | x >> 8) & 0x1f0000ff0000ff;
  x = (x | x >> 16) & 0x1f00000000ffff;
  return (x | x >> 32) & 0x1fffff;
}

/// Cell number along one axis, clamped to the cube.
MULTIWALK_HOST_DEVICE std::uint64_t cell_number(double x, double corner, double cells_per_length) {
  const double cell = (x - corner) * cells_per_length;
  const double last = 2097151.0;
  return cell > 0 ? static_cast<std::uint64_t>(cell < last ? cell : last) : 0;
}

/// Cells of the deepest level per unit length.
inline double key_cells_per_length(const Cube& cube) {
  return std::ldexp(1.0, key_levels) / cube.side;
}

/// Key of a position; `cells_per_length`: key_cells_per_length of the cube.
MULTIWALK_HOST_DEVICE std::uint64_t morton_key(Vec3d p, Vec3d corner, double cells_per_length) {
  return spread_bits(cell_number(p.x, corner.x, cells_per_length)) << 2 |
         spread_bits(cell_number(p.y, corner.y, cells_per_length)) << 1 |
         spread_bits(cell_number(p.z, corner.z, cells_per_length));
}

/// Which child of a node of `level` a key belongs to.
MULTIWALK_HOST_DEVICE unsigned child_digit(std::uint64_t key, int level) {
  return static_cast<unsigned>(key >> 3 * (key_levels - 1 - level)) & 7U;
}

/// Geometric centre of the node of `level` that holds `key`.
MULTIWALK_HOST_DEVICE Vec3d cell_centre(const Cube& cube, std::uint64_t key, int level) {
  const double side = cube.side / static_cast<double>(std::uint64_t{1} << level);
  const int shift = key_levels - level;
  const auto middle = [=](std::uint64_t bits) {
    return (static_cast<double>(gather_bits(bits) >> shift) + 0.5) * side;
  };
  return cube.corner + Vec3d{middle(key >> 2), middle(key >> 1), middle(key)};
}

/// The cell of `level` that holds `key`.
inline Box cell_box(const Cube& cube, std::uint64_t key, int level) {
  const Vec3d centre = cell_centre(cube, key, level);
  const double half = 0.5 * cube.side / static_cast<double>(std::uint64_t{1} << level);
  return {centre - Vec3d{half, half, half}, centre + Vec3d{half, half, half}};
}

}  // namespace multiwalk
