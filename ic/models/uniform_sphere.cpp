// SPDX-License-Identifier: GPL-3.0-or-later
// Cold uniform sphere; random numbers keyed by particle.
#include "ic/models/uniform_sphere.hpp"

#include <cmath>
#include <numbers>

#include "decomposition/ranks/agree.hpp"
#include "ic/isolated/isolated.hpp"

namespace multiwalk {

namespace {}

ParticleSystem make_uniform_sphere(std::uint64_t particles, double radius, std::uint64_t seed,
                                   const Communicator& comm) {
  if (!(radius > 0)) throw SharedError("model.radius must be positive");
  ParticleSystem system = isolated_system(particles, comm);
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < system.particles.size(); ++p) {
    const RandomWords words = philox({system.particles.id[p], 0, 0, 0}, seed, random_stream::uniform_sphere);
    system.particles.position[p] = isotropic(radius * std::cbrt(uniform_open_below(words[0])), words[1], words[2]);
  }
  set_bounding_side(system, comm);
  system.sphere_radius = radius;
  system.spacing = radius * std::cbrt(4 * std::numbers::pi / 3 / static_cast<double>(particles));
  return system;
}

}  // namespace multiwalk
