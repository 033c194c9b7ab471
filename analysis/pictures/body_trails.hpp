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

/// The latest part of one body's path, oldest point first; the last is where the body is.
struct Trail {
  std::uint64_t id = 0;
  std::vector<Vec3d> point;
};

/// Collects the trails of one rank's bodies. A point is kept where a body has moved by a thousandth of the space that
/// all of them have crossed so far, and of each body the last `most_points`.
class BodyTrails {
 public:
  static constexpr std::uint64_t most_bodies = 100;  ///< that a picture shows as orbits
  static constexpr std::size_t most_points = 8192;

  /// (N) where the bodies are now, in any order.
  void add(std::span<const Vec3d> position, std::span<const std::uint64_t> id);

  /// All ranks' trails on rank 0, by rising id; parts of a body's trail on several ranks stay apart. Collective.
  [[nodiscard]] std::vector<Trail> gather(const Communicator& comm = {}) const;

 private:
  struct Path {
    std::uint64_t id;
    Vec3d now;
    std::vector<Vec3d> ring;
    std::size_t oldest = 0;  ///< in a full ring
    [[nodiscard]] const Vec3d& newest() const { return oldest > 0 ? ring[oldest - 1] : ring.back(); }
    void keep(Vec3d point);
  };

  std::vector<Path> paths_;  ///< by rising id
  Box crossed_;
};

}  // namespace multiwalk
