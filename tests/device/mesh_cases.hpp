// SPDX-License-Identifier: GPL-3.0-or-later
// Particles, laws and meshes for tests of the device's mesh force.
#pragma once

#include <cmath>
#include <vector>

#include "host/mesh/mesh_force_options.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {

inline constexpr double mesh_side = 3;

/// A few particles everywhere, and many across a corner of the box.
inline ParticleStore clustered(std::size_t n) {
  ParticleStore store = test::uniform_cube(n, 5);
  for (std::size_t i = 0; i < n; ++i) {
    Vec3d& x = store.position[i];
    if (i % 4 > 0) x = 0.1 * x;
    for (int axis = 0; axis < 3; ++axis) x[axis] = mesh_side * (x[axis] - std::floor(x[axis]));
    store.mass[i] = static_cast<float>(0.5 + 0.1 * static_cast<double>(i % 7));
  }
  return store;
}

/// Positions and masses of the particles from `first` to `end`, as one of several ranks has them.
inline ParticleStore part_of(const ParticleStore& all, std::size_t first, std::size_t end) {
  ParticleStore own;
  own.resize(end - first);
  for (std::size_t i = 0; i < own.size(); ++i) {
    own.position[i] = all.position[first + i];
    own.mass[i] = all.mass[first + i];
  }
  return own;
}

/// The results of a store.
struct MeshForces {
  std::vector<Vec3f> acceleration;
  std::vector<float> potential;
};

inline PairLaw law_of(double scale) {
  return {43, 0.01, MultipoleOrder::quadrupole, mesh_side, {scale, 5 * scale}};
}

/// Divisible into tiles or not, smaller than a tile, interlaced or not, with pairs that miss something, also softened.
inline constexpr MeshForceOptions mesh_cases[] = {{32, 0.15, Assignment::pcs, false},
                                                  {45, 0.1, Assignment::pcs, true},
                                                  {128, 0.05, Assignment::pcs, false},
                                                  {8, 0.3, Assignment::pcs, false},
                                                  {20, 0.3, Assignment::pcs, true},
                                                  {32, 0.15, Assignment::pcs, false, 0.6},
                                                  {32, 0.15, Assignment::pcs, false, 0.75, 0.1}};

}  // namespace multiwalk::device_test
