// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/models/kepler_disc.hpp"

#include <cmath>
#include <numbers>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/exact_sum.hpp"
#include "ic/fields/random.hpp"
#include "ic/isolated/isolated.hpp"

namespace multiwalk {

namespace {

void set_orbit(Bodies& disc, std::size_t i, double body_mass, std::uint64_t seed) {
  const std::uint64_t id = disc.id[i];
  if (id == 0) {
    disc.mass[i] = 1;
    return;
  }
  const auto radius = static_cast<double>(id);
  const double azimuth =
      2 * std::numbers::pi * uniform_open_above(philox({id, 0, 0, 0}, seed, random_stream::kepler_disc)[0]);
  const double speed = std::sqrt((1 + body_mass * (radius - 1)) / radius);
  disc.mass[i] = body_mass;
  disc.position[i] = {radius * std::cos(azimuth), radius * std::sin(azimuth), 0};
  disc.velocity[i] = {-speed * std::sin(azimuth), speed * std::cos(azimuth), 0};
}

}  // namespace

Bodies make_kepler_disc(std::uint64_t bodies, double disc_mass, std::uint64_t seed, const Communicator& comm) {
  if (bodies < 2) throw SharedError("model.particles must be at least 2 for a disc");
  if (!(disc_mass >= 0)) throw SharedError("model.disc_mass must not be negative");
  Bodies disc = isolated_bodies(bodies, comm);
  for (std::size_t i = 0; i < disc.size(); ++i) {
    set_orbit(disc, i, disc_mass / static_cast<double>(bodies - 1), seed);
  }
  ExactSum x;
  ExactSum y;
  for (std::size_t i = 0; i < disc.size(); ++i) {
    x.add(disc.mass[i] * disc.velocity[i].x);
    y.add(disc.mass[i] * disc.velocity[i].y);
  }
  const Vec3d drift = Vec3d{x.total(comm), y.total(comm), 0} * (1 / (1 + disc_mass));
  for (Vec3d& velocity : disc.velocity) velocity -= drift;
  return disc;
}

}  // namespace multiwalk
