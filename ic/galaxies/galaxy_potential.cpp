// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/galaxies/galaxy_potential.hpp"

#include <algorithm>
#include <cmath>

#include "host/base/quadrature.hpp"

namespace multiwalk {

namespace {

constexpr double innermost = 1e-6;  ///< first radius over the smallest scale
constexpr double last_of_cut = 6;   ///< exp(-36) is left
constexpr double last_of_disc = 50;
constexpr int points_per_decade = 60;

/// From where every cusp is a pure one to where no mass is left.
std::vector<double> radii_of(const GalaxyOptions& galaxy) {
  double smallest = galaxy.cut, largest = last_of_cut * galaxy.cut;
  if (galaxy.halo_mass() > 0) smallest = std::min(smallest, galaxy.halo_radius);
  if (galaxy.bulge_mass > 0) smallest = std::min(smallest, galaxy.bulge_radius);
  if (galaxy.disc_mass > 0) {
    smallest = std::min(smallest, galaxy.disc_radius);
    largest = std::max(largest, last_of_disc * galaxy.disc_radius);
  }
  return logarithmic_radii(innermost * smallest, largest, points_per_decade);
}

std::vector<SphericalProfile> spheroids_of(const GalaxyOptions& galaxy, const std::vector<double>& radii) {
  std::vector<SphericalProfile> spheroids;
  const int fall = galaxy.halo_profile == HaloProfile::nfw ? 2 : 3;
  if (galaxy.bulge_mass > 0) {
    spheroids.emplace_back(CuspShape{galaxy.bulge_radius, 3, galaxy.cut}, galaxy.bulge_mass, radii);
  }
  if (galaxy.halo_mass() > 0) {
    spheroids.emplace_back(CuspShape{galaxy.halo_radius, fall, galaxy.cut}, galaxy.halo_mass(), radii);
  }
  return spheroids;
}

}  // namespace

GalaxyPotential::GalaxyPotential(const GalaxyOptions& galaxy)
    : radii_(radii_of(galaxy)),
      spheroids_(spheroids_of(galaxy, radii_)),
      disc_{galaxy.disc_mass, galaxy.disc_radius},
      climb_(radii_, climbs()),
      depth_(radii_, depths()) {}

double GalaxyPotential::spheroid_mass(double r) const {
  double mass = 0;
  for (const SphericalProfile& spheroid : spheroids_) mass += spheroid.enclosed(r);
  return mass;
}

double GalaxyPotential::spheroid_density(double r) const {
  double density = 0;
  for (const SphericalProfile& spheroid : spheroids_) density += spheroid.density(r);
  return density;
}

double GalaxyPotential::inside(double r) const {
  return std::clamp(r, radii_.front(), radii_.back());
}

/// Inside the first radius the mass is taken to grow as r^2, so the first climb is M / r.
std::vector<double> GalaxyPotential::climbs() const {
  const Quadrature quadrature(8);
  std::vector<double> climb{enclosed(radii_[0]) / radii_[0]};
  for (std::size_t i = 1; i < radii_.size(); ++i) {
    climb.push_back(climb.back() + quadrature(std::log(radii_[i - 1]), std::log(radii_[i]), [&](double ln_r) {
                      const double r = std::exp(ln_r);
                      return enclosed(r) / r;
                    }));
  }
  return climb;
}

/// Inwards from the last radius, beyond which there is no mass.
std::vector<double> GalaxyPotential::depths() const {
  const Quadrature quadrature(8);
  std::vector<double> depth{enclosed(radii_.back()) / radii_.back()};
  for (std::size_t i = radii_.size() - 1; i > 0; --i) {
    depth.push_back(depth.back() + quadrature(std::log(radii_[i - 1]), std::log(radii_[i]), [&](double ln_r) {
                      const double r = std::exp(ln_r);
                      return enclosed(r) / r;
                    }));
  }
  std::reverse(depth.begin(), depth.end());
  return depth;
}

}  // namespace multiwalk
