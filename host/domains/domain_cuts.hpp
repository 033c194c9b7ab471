// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank owns a position, on the host or on a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// The part between n rising cuts that contains x: the number of cuts at or below it. Bisection without branches.
MULTIWALK_HOST_DEVICE std::size_t part_among(const double* cuts, std::size_t n, double x) {
  std::size_t part = 0;
  for (std::size_t left = n; left > 0;) {
    const std::size_t half = (left + 1) / 2;
    part += cuts[part + half - 1] <= x ? half : 0;
    left -= half;
  }
  return part;
}

/// The cuts between the domains of nx ny nz ranks; whoever makes it owns the arrays. Rank = (ix ny + iy) nz + iz.
struct DomainCuts {
  std::size_t nx = 1, ny = 1, nz = 1;
  const double* x = nullptr;  ///< (nx - 1) rising
  const double* y = nullptr;  ///< (nx, ny - 1) rising for each slab
  const double* z = nullptr;  ///< (nx, ny, nz - 1) rising for each column

  [[nodiscard]] MULTIWALK_HOST_DEVICE std::size_t ranks() const { return nx * ny * nz; }
  /// A position on a cut belongs to the upper side. Every position has exactly one owner, even infinities and NaN.
  [[nodiscard]] MULTIWALK_HOST_DEVICE std::uint32_t owner(Vec3d position) const {
    std::size_t section = part_among(x, nx - 1, position.x);
    section = section * ny + part_among(y + section * (ny - 1), ny - 1, position.y);
    section = section * nz + part_among(z + section * (nz - 1), nz - 1, position.z);
    return static_cast<std::uint32_t>(section);
  }
};

}  // namespace multiwalk
