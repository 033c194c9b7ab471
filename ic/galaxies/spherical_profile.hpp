// SPDX-License-Identifier: GPL-3.0-or-later
// A cusped sphere: Hernquist (1990) eq. 2 or Navarro, Frenk & White (1996) eq. 3, with a smooth end.
#pragma once

#include <vector>

#include "ic/power/power_table.hpp"

namespace multiwalk {

/// rho ~ (r/a)^-1 (1 + r/a)^-n exp(-(r/cut)^2).
struct CuspShape {
  double radius = 1;  ///< a
  int fall = 3;       ///< n; 3: Hernquist, 2: NFW
  double cut = 1;
};

/// A shape of a given mass; the mass within a radius is tabulated. G = 1.
class SphericalProfile {
 public:
  /// `radii`: rising, from where only the cusp matters to where the cut leaves nothing. Throws Error if GSL fails.
  SphericalProfile(const CuspShape& shape, double mass, const std::vector<double>& radii);

  [[nodiscard]] double mass() const { return mass_; }
  [[nodiscard]] double density(double r) const { return amplitude_ * shape_density(r); }
  /// d ln rho / d ln r
  [[nodiscard]] double slope(double r) const;
  /// d slope / d ln r
  [[nodiscard]] double slope_change(double r) const;
  /// Mass within r.
  [[nodiscard]] double enclosed(double r) const;
  /// Radius of a fraction in (0, 1) of the mass.
  [[nodiscard]] double radius_of(double fraction) const;

 private:
  /// Masses of the shape within and beyond each of the radii.
  struct Masses {
    std::vector<double> inner, outer;
  };
  SphericalProfile(const CuspShape& shape, double mass, const std::vector<double>& radii, const Masses& masses);
  static Masses masses_of(const CuspShape& shape, const std::vector<double>& radii);
  [[nodiscard]] double shape_density(double r) const;

  CuspShape shape_;
  double mass_, amplitude_, first_, last_, first_fraction_, largest_odds_;
  LogSpline inner_;   ///< mass of the shape within a radius
  LogSpline radius_;  ///< radius over the ratio of the masses within and beyond it, smooth at both ends
};

/// `points` radii per decade from `from` to at least `to`, logarithmic.
std::vector<double> logarithmic_radii(double from, double to, int points);

}  // namespace multiwalk
