// SPDX-License-Identifier: GPL-3.0-or-later
// The bodies of a collisional system (cluster, planetary disc) that one process owns, in double precision throughout.
// Direct integrators work on them. Units: G = 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/base/vec3.hpp"

namespace multiwalk {

/// All arrays have the same length N.
struct Bodies {
  std::vector<Vec3d> position, velocity;
  std::vector<Vec3d> acceleration, jerk;  ///< at the body's own time
  std::vector<double> mass;
  std::vector<double> potential;  ///< -sum m/R, own pair excluded
  std::vector<std::uint64_t> id;  ///< unique over all ranks

  [[nodiscard]] std::size_t size() const { return position.size(); }
  void resize(std::size_t n) {
    for (auto* vectors : {&position, &velocity, &acceleration, &jerk}) vectors->resize(n);
    for (auto* numbers : {&mass, &potential}) numbers->resize(n);
    id.resize(n);
  }
};

}  // namespace multiwalk
