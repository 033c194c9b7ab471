// SPDX-License-Identifier: GPL-3.0-or-later
// Sampling of Aarseth, Henon & Wielen (1974), A&A 37, 183, appendix; random numbers keyed by particle.
#include "ic/models/plummer.hpp"

#include <cmath>
#include <numbers>
#include <span>

#include "ic/isolated/centre.hpp"
#include "ic/isolated/isolated.hpp"

namespace multiwalk {

namespace {

constexpr double scale = 3 * std::numbers::pi / 16;
constexpr double mass_fraction = 0.999;

double sample_radius(std::uint64_t word) {
  const double enclosed = mass_fraction * uniform_open_below(word);
  return scale / std::sqrt(std::pow(enclosed, -2.0 / 3.0) - 1);
}

/// Speed over escape speed from g(q) = q^2 (1 - q^2)^(7/2), whose maximum is below 0.1, by rejection.
double sample_speed_ratio(std::uint64_t particle, std::uint64_t seed) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    const RandomWords words = philox({particle, 1, attempt, 0}, seed, random_stream::plummer);
    const double q = uniform_open_above(words[0]);
    if (0.1 * uniform_open_above(words[1]) < q * q * std::pow(1 - q * q, 3.5)) return q;
  }
}

Vec3d sample_position(std::uint64_t id, std::uint64_t seed) {
  const RandomWords place = philox({id, 0, 0, 0}, seed, random_stream::plummer);
  return isotropic(sample_radius(place[0]), place[1], place[2]);
}

Vec3d sample_velocity(std::uint64_t id, std::uint64_t seed) {
  const RandomWords place = philox({id, 0, 0, 0}, seed, random_stream::plummer);
  const RandomWords direction = philox({id, 2, 0, 0}, seed, random_stream::plummer);
  const double radius = sample_radius(place[0]);
  const double escape = std::numbers::sqrt2 / std::pow(radius * radius + scale * scale, 0.25);
  return isotropic(sample_speed_ratio(id, seed) * escape, direction[0], direction[1]);
}

/// Samples the particles with these ids.
template <class Ids, class Positions, class Velocities>
void fill(const Ids& id, Positions& position, Velocities& velocity, std::uint64_t n, std::uint64_t seed,
          const Communicator& comm) {
  using Velocity = typename Velocities::value_type;
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < id.size(); ++p) {
    position[p] = sample_position(id[p], seed);
    velocity[p] = Velocity(sample_velocity(id[p], seed));
  }
  set_mean(std::span(position), n, {}, comm);
  set_mean(std::span(velocity), n, {}, comm);
}

}  // namespace

ParticleSystem make_plummer(std::uint64_t particles, std::uint64_t seed, const Communicator& comm) {
  ParticleSystem system = isolated_system(particles, comm);
  fill(system.particles.id, system.particles.position, system.particles.velocity, particles, seed, comm);
  set_bounding_side(system, comm);
  return system;
}

Bodies make_plummer_bodies(std::uint64_t bodies, std::uint64_t seed, const Communicator& comm) {
  Bodies made = isolated_bodies(bodies, comm);
  fill(made.id, made.position, made.velocity, bodies, seed, comm);
  return made;
}

}  // namespace multiwalk
