// SPDX-License-Identifier: GPL-3.0-or-later
// The paths of a few bodies, for pictures of their orbits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/box.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// The latest part of one body's path, oldest point first; the last point is the present position.
struct Trail {
  std::uint64_t id = 0;
  std::vector<Vec3d> point;
};

/// Collects the trails of one rank's bodies. A point is added when a body has moved by a thousandth of the size of the
/// region that all bodies have crossed so far. The last `most_points` points of each body are kept.
class BodyTrails {
 public:
  static constexpr std::uint64_t most_bodies = 100;  ///< largest number of bodies whose orbits are drawn
  static constexpr std::size_t most_points = 8192;

  /// (N) The present positions of the bodies, in any order.
  void add(std::span<const Vec3d> position, std::span<const std::uint64_t> id);

  /// The trails of all ranks, on rank 0, by increasing id. If parts of a body's trail are on several ranks, they remain
  /// separate trails. Collective.
  [[nodiscard]] std::vector<Trail> gather(const Communicator& comm = {}) const;

 private:
  struct Path {
    std::uint64_t id;
    Vec3d now;
    std::vector<Vec3d> ring;
    std::size_t oldest = 0;  ///< index of the oldest point in a full ring
    [[nodiscard]] const Vec3d& newest() const { return oldest > 0 ? ring[oldest - 1] : ring.back(); }
    void keep(Vec3d point);
  };

  std::vector<Path> paths_;  ///< by increasing id
  Box crossed_;
};

}  // namespace multiwalk
