// SPDX-License-Identifier: GPL-3.0-or-later
// The Kepler orbit of a pair of galaxies, and the directions of their spins.
#pragma once

#include "host/base/vec3.hpp"
#include "ic/galaxies/galaxy_options.hpp"

namespace multiwalk {

/// Position and velocity of the first galaxy relative to the second.
struct PairOrbit {
  Vec3d position, velocity;
};

/// The orbit at the initial separation, on the way to pericentre; total mass 1, G = 1. `pair` must have passed
/// check_galaxy_pair.
PairOrbit orbit_at_start(const GalaxyPairOptions& pair);

/// Turns a galaxy that spins along z: about the x axis by the inclination, then about the z axis by the node.
class Tilt {
 public:
  Tilt(double inclination_degrees, double node_degrees);
  [[nodiscard]] Vec3d operator()(Vec3d vector) const;

 private:
  double cosine_, sine_, node_cosine_, node_sine_;
};

}  // namespace multiwalk
