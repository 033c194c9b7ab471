// SPDX-License-Identifier: GPL-3.0-or-later
// Rotation and velocity dispersions of an exponential disc in a galaxy: moments of Hernquist (1993), ApJS 86, 389.
#pragma once

#include <optional>

#include "ic/galaxies/galaxy_options.hpp"
#include "ic/galaxies/galaxy_potential.hpp"
#include "ic/power/power_table.hpp"

namespace multiwalk {

/// Velocities of the stars at one radius; Gaussian about the rotation.
struct DiscVelocities {
  double rotation, sigma_r, sigma_phi, sigma_z;
};

/// G = 1. Epicyclic approximation, valid where dispersions are small compared with the circular speed.
class DiscMotion {
 public:
  /// `potential` must outlive it.
  DiscMotion(const GalaxyOptions& galaxy, const GalaxyPotential& potential);

  /// Squares of the circular speed and of the epicyclic frequency in the plane at distance R > 0 from the axis.
  [[nodiscard]] double speed2(double cylinder) const;
  [[nodiscard]] double epicyclic2(double cylinder) const;
  /// sigma_R kappa / (3.36 Sigma), Toomre (1964).
  [[nodiscard]] double toomre_q(double cylinder) const;
  [[nodiscard]] DiscVelocities at(double cylinder) const;

 private:
  [[nodiscard]] double sigma_r2(double cylinder) const;
  [[nodiscard]] double pull_of_spheroids(double cylinder) const;
  [[nodiscard]] double mean_pull(double cylinder) const;

  const GalaxyPotential& potential_;
  double height_, central_sigma_r2_;
  std::optional<LogSpline> mean_pull_;  ///< <z dphi/dz> of halo and bulge over R; none without them
};

}  // namespace multiwalk
