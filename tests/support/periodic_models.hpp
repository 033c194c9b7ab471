// SPDX-License-Identifier: GPL-3.0-or-later
// Particles of the periodic box [0, 1) for tests.
#pragma once

#include "host/base/separation.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::test {

inline ParticleStore store_at(const std::vector<Vec3d>& places) {
  ParticleStore store;
  store.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    store.position[i] = places[i];
    store.mass[i] = (1 + 0.1F * static_cast<float>(i % 7)) / static_cast<float>(places.size());
    store.id[i] = i;
  }
  return store;
}

/// Half of them evenly spread; the others in Plummer spheres of scale 0.03 about a corner, an edge and a face of the
/// box, so that each lies on several sides of it.
inline ParticleStore clusters_at_faces(std::size_t n, std::uint64_t seed = 1) {
  ParticleStore store = uniform_cube(n, seed);
  const ParticleStore cluster = plummer(n, seed);
  const Vec3d centre[] = {{0, 0, 0}, {0.4, 0, 1}, {0.6, 0.7, 0}};
  for (std::size_t i = 0; i < n / 2; ++i) {
    store.position[i] = wrapped(centre[i % 3] + 0.03 * cluster.position[i], 1);
  }
  return store;
}

}  // namespace multiwalk::test
