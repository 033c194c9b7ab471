// SPDX-License-Identifier: GPL-3.0-or-later
// Checks by where the particles lie that coordinates have the unit of their periodic box.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Gathers coordinates as the file has them, before they are wrapped.
class BoxFilling {
 public:
  explicit BoxFilling(double side) : side_(side) {
    for (auto& axis : seen_) axis.assign(slabs, 0);
  }

  /// A finite position.
  void add(const Vec3d& x);

  /// What is doubtful about the coordinates: a gap of more than 0.15 boxes, or a span of more than 1.25, along every
  /// axis; empty if nothing is. Throws SharedError headed by `path` if a particle lies farther than one box from the
  /// box, or if all lie within 1/100 of it along every axis although they have the mass of the whole box (`full_mass`;
  /// an isolated system in a large box may be as small). Collective.
  [[nodiscard]] std::string judge(const std::string& path, bool full_mass, const Communicator& comm = {}) const;

 private:
  static constexpr std::size_t slabs = 1024;

  double side_;
  Vec3d low_{1e300, 1e300, 1e300}, high_{-1e300, -1e300, -1e300};
  std::uint64_t number_ = 0;
  std::array<std::vector<std::uint64_t>, 3> seen_;  ///< by axis and slab: whether a particle's image lies there
};

}  // namespace multiwalk
