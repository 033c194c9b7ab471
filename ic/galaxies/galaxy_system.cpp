// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/galaxy_system.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "decomposition/ranks/agree.hpp"
#include "ic/galaxies/galaxy.hpp"
#include "ic/galaxies/pair_orbit.hpp"
#include "ic/isolated/centre.hpp"
#include "ic/isolated/isolated.hpp"

namespace multiwalk {

namespace {

/// Where and how large a galaxy is; `first`: its first id.
struct GalaxySite {
  std::uint64_t first = 0;
  GalaxyPlaces places{};
  double mass = 1, length = 1;
  Tilt tilt{0, 0};
  Vec3d centre, velocity;
};

/// Fills this rank's particles of one galaxy; their ids rise one by one.
void place_stars(ParticleStore& store, const Galaxy& galaxy, const GalaxySite& site, std::uint64_t seed,
                 const Communicator& comm) {
  const auto index_of = [&](std::uint64_t id) {
    const std::uint64_t begin = store.id.empty() ? 0 : store.id.front();
    return std::min<std::uint64_t>(id > begin ? id - begin : 0, store.size());
  };
  const std::uint64_t from = index_of(site.first), to = index_of(site.first + site.places.end);
  const double speed = std::sqrt(site.mass / site.length);
#pragma omp parallel for schedule(dynamic, 256)
  for (std::uint64_t p = from; p < to; ++p) {
    const GalaxyStar star = galaxy.star(store.id[p] - site.first, site.places, store.id[p], seed);
    store.position[p] = site.tilt(star.position) * site.length;
    store.velocity[p] = Vec3f(site.tilt(star.velocity) * speed);
  }
  set_mean(std::span(store.position).subspan(from, to - from), site.places.end, site.centre, comm);
  set_mean(std::span(store.velocity).subspan(from, to - from), site.places.end, site.velocity, comm);
}

/// Particles of the second galaxy.
std::uint64_t second_share(const GalaxyPairOptions& pair, std::uint64_t particles) {
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(particles) * pair.mass_ratio / (1 + pair.mass_ratio)));
}

std::unique_ptr<Galaxy> built(const GalaxyOptions& galaxy, const Communicator& comm) {
  return collectively(comm, [&] { return std::make_unique<Galaxy>(galaxy); });
}

}  // namespace

ParticleSystem make_galaxy(const GalaxyOptions& galaxy, std::uint64_t particles, std::uint64_t seed,
                           const Communicator& comm) {
  const std::unique_ptr<Galaxy> model = built(galaxy, comm);
  ParticleSystem system = isolated_system(particles, comm);
  GalaxySite site;
  site.places = galaxy_places(galaxy, particles);
  place_stars(system.particles, *model, site, seed, comm);
  set_bounding_side(system, comm);
  return system;
}

ParticleSystem make_galaxy_pair(const GalaxyOptions& galaxy, const GalaxyPairOptions& pair, std::uint64_t particles,
                                std::uint64_t seed, const Communicator& comm) {
  collectively(comm, [&] { check_galaxy_pair(pair); });
  const std::uint64_t second = second_share(pair, particles);
  if (second == 0 || second >= particles) {
    throw SharedError("model.particles is too small for a pair of galaxies of this pair.mass_ratio");
  }
  const std::unique_ptr<Galaxy> model = built(galaxy, comm);
  ParticleSystem system = isolated_system(particles, comm);
  const PairOrbit orbit = orbit_at_start(pair);
  const double second_mass = static_cast<double>(second) / static_cast<double>(particles), mass = 1 - second_mass;
  const std::uint64_t first = particles - second;
  const GalaxySite sites[] = {{0, galaxy_places(galaxy, first), mass, 1, Tilt(pair.inclination1, pair.node1),
                               orbit.position * second_mass, orbit.velocity * second_mass},
                              {first, galaxy_places(galaxy, second), second_mass, std::cbrt(second_mass / mass),
                               Tilt(pair.inclination2, pair.node2), orbit.position * -mass, orbit.velocity * -mass}};
  for (const GalaxySite& site : sites) place_stars(system.particles, *model, site, seed, comm);
  set_bounding_side(system, comm);
  return system;
}

std::vector<IdRange> stars_of_galaxy(const GalaxyOptions& galaxy, std::uint64_t particles) {
  return {{0, galaxy_places(galaxy, particles).bulge_end}};
}

std::vector<IdRange> stars_of_pair(const GalaxyOptions& galaxy, const GalaxyPairOptions& pair,
                                   std::uint64_t particles) {
  const std::uint64_t second = second_share(pair, particles), first = particles - second;
  return {{0, galaxy_places(galaxy, first).bulge_end}, {first, first + galaxy_places(galaxy, second).bulge_end}};
}

}  // namespace multiwalk
