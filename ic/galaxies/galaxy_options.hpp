// SPDX-License-Identifier: GPL-3.0-or-later
// Options of galaxies and of pairs of them.
#pragma once

namespace multiwalk {

enum class HaloProfile { hernquist, nfw };

/// Model lengths. No galaxy needs others, and their powers and products are far within the range of numbers.
inline constexpr double shortest_galaxy_length = 1e-12, longest_galaxy_length = 1e12;

/// G = 1, total mass 1. What disc and bulge leave of the mass is the halo's.
struct GalaxyOptions {
  HaloProfile halo_profile = HaloProfile::hernquist;
  double halo_radius = 10;    ///< scale radius a or r_s
  double cut = 60;            ///< densities of halo and bulge are multiplied by exp(-(r / cut)^2)
  double disc_mass = 0.04;    ///< of the whole galaxy's 1
  double disc_radius = 1;     ///< exponential scale length R_d
  double disc_height = 0.1;   ///< z_0 of sech^2(z / z_0)
  double toomre_q = 1.5;      ///< of the disc at 2 R_d
  double bulge_mass = 0.01;   ///< of the whole galaxy's 1
  double bulge_radius = 0.2;  ///< scale radius a (Hernquist)

  /// 0 if it is only a rounding error.
  [[nodiscard]] double halo_mass() const {
    const double rest = 1 - disc_mass - bulge_mass;
    return rest > 1e-12 ? rest : 0;
  }
};

/// Two galaxies of GalaxyOptions on the orbit of two points, in the plane z = 0, counter-clockwise; the pericentre of
/// the first lies on the positive x axis. Total mass 1.
struct GalaxyPairOptions {
  double mass_ratio = 1;    ///< second over first; radii of the second are times its cube root: equal densities
  double pericentre = 4;    ///< distance of the points there
  double eccentricity = 1;  ///< 1: parabola
  double separation = 60;   ///< at the start, before pericentre
  double inclination1 = 0;  ///< degrees between the spin of the first and that of the orbit
  double node1 = 0;         ///< degrees from the x axis to the line where its disc rises through the orbit's plane
  double inclination2 = 0;  ///< the same for the second
  double node2 = 0;
};

/// Throw InputError that names the key of a value that cannot be used.
void check_galaxy(const GalaxyOptions& galaxy);
void check_galaxy_pair(const GalaxyPairOptions& pair);

}  // namespace multiwalk
