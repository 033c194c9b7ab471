// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/galaxy.hpp"

#include <gsl/gsl_cdf.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "ic/isolated/isolated.hpp"

namespace multiwalk {

namespace {

/// Counters of a particle's numbers.
enum StarDraw : std::uint64_t { draw_place = 0, draw_speed = 1, draw_velocity = 2 };

constexpr double nearest_axis = 1e-6;  ///< R_d: where the velocities of still closer stars are taken from

/// (0, 1)
double uniform_inside(std::uint64_t word) {
  return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

double gaussian(std::uint64_t word, double sigma) {
  return gsl_cdf_gaussian_Pinv(uniform_inside(word), sigma);
}

RandomWords star_words(std::uint64_t id, StarDraw draw, std::uint64_t attempt, std::uint64_t seed) {
  return philox({id, draw, attempt, 0}, seed, random_stream::galaxy);
}

GalaxyOptions checked(const GalaxyOptions& galaxy) {
  check_galaxy(galaxy);
  return galaxy;
}

std::vector<DistributionFunction> functions_of(const GalaxyPotential& potential) {
  std::vector<DistributionFunction> functions;
  for (const SphericalProfile& spheroid : potential.spheroids()) functions.emplace_back(spheroid, potential);
  return functions;
}

}  // namespace

GalaxyPlaces galaxy_places(const GalaxyOptions& galaxy, std::uint64_t particles) {
  const auto upto = [particles](double mass) {
    return std::min(static_cast<std::uint64_t>(std::llround(mass * static_cast<double>(particles))), particles);
  };
  return {upto(galaxy.disc_mass), upto(galaxy.disc_mass + galaxy.bulge_mass), particles};
}

Galaxy::Galaxy(const GalaxyOptions& galaxy)
    : potential_(checked(galaxy)),
      functions_(functions_of(potential_)),
      disc_(galaxy, potential_),
      height_(galaxy.disc_height) {}

GalaxyStar Galaxy::star(std::uint64_t place, const GalaxyPlaces& places, std::uint64_t id, std::uint64_t seed) const {
  if (place < places.disc_end) return disc_star(id, seed);
  return spheroid_star(place < places.bulge_end ? 0 : functions_.size() - 1, id, seed);
}

GalaxyStar Galaxy::disc_star(std::uint64_t id, std::uint64_t seed) const {
  const RandomWords place = star_words(id, draw_place, 0, seed);
  const RandomWords motion = star_words(id, draw_velocity, 0, seed);
  const double scale = potential_.disc().radius, cylinder = potential_.disc().radius_of(uniform_inside(place[0]));
  const double azimuth = 2 * std::numbers::pi * uniform_open_above(place[1]);
  const double cosine = std::cos(azimuth), sine = std::sin(azimuth);
  const double height = height_ * std::atanh(2 * uniform_inside(place[2]) - 1);
  const DiscVelocities velocities = disc_.at(std::max(cylinder, nearest_axis * scale));
  const double outwards = gaussian(motion[0], velocities.sigma_r);
  const double around = velocities.rotation + gaussian(motion[1], velocities.sigma_phi);
  return {
      {cylinder * cosine, cylinder * sine, height},
      {outwards * cosine - around * sine, outwards * sine + around * cosine, gaussian(motion[2], velocities.sigma_z)}};
}

GalaxyStar Galaxy::spheroid_star(std::size_t spheroid, std::uint64_t id, std::uint64_t seed) const {
  const RandomWords place = star_words(id, draw_place, 0, seed);
  const RandomWords direction = star_words(id, draw_velocity, 0, seed);
  const double radius = potential_.spheroids()[spheroid].radius_of(uniform_inside(place[0]));
  const double speed = functions_[spheroid].speed(potential_, radius, [&](std::uint64_t attempt) {
    const RandomWords words = star_words(id, draw_speed, attempt, seed);
    return std::pair{uniform_open_above(words[0]), uniform_open_above(words[1])};
  });
  return {isotropic(radius, place[1], place[2]), isotropic(speed, direction[0], direction[1])};
}

}  // namespace multiwalk
