// SPDX-License-Identifier: GPL-3.0-or-later
// The thin exponential disc of Freeman (1970): its mass, and the force in its plane.
#pragma once

namespace multiwalk {

/// Surface density M exp(-R/R_d) / (2 pi R_d^2), G = 1. Of negligible thickness unless said otherwise.
struct ExponentialDisc {
  double mass = 0;
  double radius = 1;  ///< R_d

  [[nodiscard]] double surface_density(double cylinder) const;
  /// Mass within a cylinder or, of a thin disc, within a sphere.
  [[nodiscard]] double enclosed(double r) const;
  /// Density of a spherical body that the disc becomes if each of its rings is spread over a spherical shell.
  [[nodiscard]] double spread_density(double r) const;
  /// Radius of the cylinder with a fraction in (0, 1) of the mass.
  [[nodiscard]] double radius_of(double fraction) const;
  /// Square of the circular speed, Freeman (1970); Binney & Tremaine (2008) eq. 2.165.
  [[nodiscard]] double speed2(double cylinder) const;
  /// d speed2 / d ln R
  [[nodiscard]] double speed2_change(double cylinder) const;
};

}  // namespace multiwalk
