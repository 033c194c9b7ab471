// SPDX-License-Identifier: GPL-3.0-or-later
// Kepler orbit at apocentre.
#include "ic/models/two_body.hpp"

#include <cmath>

#include "decomposition/ranks/agree.hpp"
#include "ic/isolated/isolated.hpp"

namespace multiwalk {

namespace {

struct Orbit {
  double separation, speed;  ///< at apocentre
};

Orbit at_apocentre(double eccentricity) {
  if (!(eccentricity >= 0 && eccentricity < 1)) throw SharedError("model.eccentricity must lie in [0, 1)");
  return {1 + eccentricity, std::sqrt((1 - eccentricity) / (1 + eccentricity))};
}

double side_of(std::size_t body) {
  return body == 0 ? 0.5 : -0.5;
}

}  // namespace

ParticleSystem make_two_body(double eccentricity, const Communicator& comm) {
  const Orbit orbit = at_apocentre(eccentricity);
  ParticleSystem system = isolated_system(2, {});
  if (!comm.root()) system.particles.resize(0);
  for (std::size_t p = 0; p < system.particles.size(); ++p) {
    system.particles.position[p] = {side_of(p) * orbit.separation, 0, 0};
    system.particles.velocity[p] = Vec3f(Vec3d{0, side_of(p) * orbit.speed, 0});
  }
  set_bounding_side(system, comm);
  return system;
}

Bodies make_kepler_pair(double eccentricity, const Communicator& comm) {
  const Orbit orbit = at_apocentre(eccentricity);
  Bodies pair = isolated_bodies(2, {});
  if (!comm.root()) pair.resize(0);
  for (std::size_t p = 0; p < pair.size(); ++p) {
    pair.position[p] = {side_of(p) * orbit.separation, 0, 0};
    pair.velocity[p] = {0, side_of(p) * orbit.speed, 0};
  }
  return pair;
}

}  // namespace multiwalk
