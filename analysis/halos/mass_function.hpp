// SPDX-License-Identifier: GPL-3.0-or-later
// The halo mass function: counts in bins of mass, and fits to simulations.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// Masses in one unit, volumes in one unit; densities are dn/dlnM, numbers per volume.
struct MassBin {
  double low = 0, high = 0;  ///< edges, the upper one excluded
  double mass = 0;           ///< mean of its masses; if it has none, the geometric mean of the edges
  std::uint64_t count = 0;
  double density = 0;
  double error = 0;  ///< Poisson: density / sqrt(count)
};

/// Bins of equal width in ln M from `lowest` up to the largest of all ranks' masses; lower masses are ignored. The same
/// for any number of ranks, mean masses up to rounding. Empty if no mass is counted. Collective. `lowest` and `volume`
/// must be positive.
std::vector<MassBin> measure_mass_function(std::span<const double> masses, double volume, double lowest,
                                           int bins_per_decade, const Communicator& comm = {});

/// Multiplicity f(sigma) for FOF halos of b = 0.2: Jenkins et al. (2001), eq. 9, for -1.2 <= ln(1/sigma) <= 1.05.
double jenkins_multiplicity(double sigma);

/// f(sigma) for spheres of 200 times the mean density at redshift z: Tinker et al. (2008), eqs. 3 and 5 to 8, table 2,
/// for 0 <= z <= 2.5 (beyond: that of 2.5).
double tinker_multiplicity(double sigma, double z);

/// dn/dlnM = f(sigma) (mean density / M) |dln sigma / dlnM|. `sigma_of_radius`: rms in spheres that contain M on
/// average, as a function of radius in units of the cube root of M's unit over the density's.
double fitted_mass_function(double mass, double mean_density, const std::function<double(double)>& sigma_of_radius,
                            const std::function<double(double)>& multiplicity);

}  // namespace multiwalk
