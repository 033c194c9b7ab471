// SPDX-License-Identifier: GPL-3.0-or-later
// The spherical potential of halo, bulge and the disc's spread mass, tabulated.
#pragma once

#include <vector>

#include "ic/galaxies/exponential_disc.hpp"
#include "ic/galaxies/galaxy_options.hpp"
#include "ic/galaxies/spherical_profile.hpp"
#include "ic/power/power_table.hpp"

namespace multiwalk {

/// The masses of a galaxy, G = 1, and the potential of their spherical averages. Components without mass are absent.
class GalaxyPotential {
 public:
  /// `galaxy` must have passed check_galaxy. Throws Error if GSL fails.
  explicit GalaxyPotential(const GalaxyOptions& galaxy);

  [[nodiscard]] const std::vector<double>& radii() const { return radii_; }
  /// Halo and bulge, those that have mass.
  [[nodiscard]] const std::vector<SphericalProfile>& spheroids() const { return spheroids_; }
  [[nodiscard]] const ExponentialDisc& disc() const { return disc_; }

  /// Mass and density of halo and bulge.
  [[nodiscard]] double spheroid_mass(double r) const;
  [[nodiscard]] double spheroid_density(double r) const;
  /// Mass within r, and density at r, of spheroids and disc together.
  [[nodiscard]] double enclosed(double r) const { return spheroid_mass(r) + disc_.enclosed(r); }
  [[nodiscard]] double density(double r) const { return spheroid_density(r) + disc_.spread_density(r); }

  /// psi(r), what it takes to escape, and psi(0) - psi(r); within the tabulated radii, to whose ends r is moved.
  [[nodiscard]] double depth(double r) const { return depth_(inside(r)); }
  [[nodiscard]] double climb(double r) const { return climb_(inside(r)); }

 private:
  [[nodiscard]] double inside(double r) const;
  [[nodiscard]] std::vector<double> climbs() const;
  [[nodiscard]] std::vector<double> depths() const;

  std::vector<double> radii_;
  std::vector<SphericalProfile> spheroids_;
  ExponentialDisc disc_;
  LogSpline climb_, depth_;
};

}  // namespace multiwalk
