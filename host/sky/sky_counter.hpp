// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of the sky in the memory of a device, to which the device adds the particles that cross the light.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/sky/crossing.hpp"

namespace multiwalk {

/// Radial velocities are summed as whole multiples of this, km/s, so a pixel may have 3e9 particles at 3000 km/s.
inline constexpr double sky_velocity_unit = 0x1p-20;

/// A drift whose crossings are to be counted.
struct SkySearch {
  CrossingRules rules;
  std::vector<PassageCopy> copies;  ///< in which particles slower than light can pass
};

/// A shell of which a map is wanted.
struct SkyRange {
  std::uint32_t number;
  double near, far;  ///< near <= distance < far; shells do not overlap
};

/// The form of all maps: HEALPix pixels in nested order.
struct SkyForm {
  std::uint32_t nside = 0;
  bool velocities = false;
};

/// Particles faster than light, which may pass in any copy.
struct FastParticles {
  std::vector<std::uint32_t> index;  ///< in the store, rising
  std::vector<Vec3d> position;
  std::vector<Vec3f> velocity;

  /// Adds those that are faster than light.
  void take_from(const PassingParticles& passing, const LightSweep& light) {
    for (std::size_t k = 0; k < passing.size(); ++k) {
      if (!(norm(light.factor * widened(passing.velocity[k])) > light.light_way)) continue;
      index.push_back(passing.index[k]);
      position.push_back(passing.position[k]);
      velocity.push_back(passing.velocity[k]);
    }
  }
};

/// Crossings that the device leaves to the host.
struct UncountedCrossings {
  std::vector<Crossing> in_doubt;  ///< so close to the border of a pixel that rounding may decide; without mass and id
  FastParticles fast;              ///< none of their crossings is counted
};

/// Maps of the sky on a device, and counts of the kept particles in them.
class SkyCounter {
 public:
  /// Some consecutive pixels of a map: their numbers of particles, and the sums of their velocities if wanted.
  using Piece = std::function<void(std::uint64_t first, std::span<const std::uint32_t> counts,
                                   std::span<const std::int64_t> velocities)>;

  /// Makes an empty map for each of these shells that has none. False if the device lacks the memory or there are too
  /// many shells; no map is made then.
  virtual bool open(std::span<const SkyRange> shells, const SkyForm& form) = 0;
  /// Adds the crossings of the kept particles to the open maps; crossings outside all of them are not counted.
  virtual UncountedCrossings count(const SkySearch& search) = 0;
  /// Calls act() for all pieces of a shell's map, in which some consecutive pieces without particles may be left out,
  /// and then removes the map. False if there is none.
  virtual bool take(std::uint32_t shell, const Piece& act) = 0;

 protected:
  ~SkyCounter() = default;
};

}  // namespace multiwalk
