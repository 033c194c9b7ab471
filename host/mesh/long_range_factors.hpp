// SPDX-License-Identifier: GPL-3.0-or-later
// The Gaussian split's filter on a mesh, and the constants that its modes lack.
#pragma once

#include <vector>

#include "host/gravity/short_range.hpp"
#include "host/mesh/mesh_force_options.hpp"

namespace multiwalk {

/// (N/2 + 1) values exp(-k^2 rs^2) over the squared window along one axis, k = 2 pi n / box_size; 0 at the Nyquist
/// wavenumber, whose modes have no derivative and cannot be represented on a shifted mesh.
std::vector<double> long_range_factors(const MeshForceOptions& options, double box_size);

/// The terms to be subtracted from a potential to give it zero mean: `own` times the particle's mass, for its own pair,
/// and `everywhere`, the mean of the short range.
struct PotentialConstants {
  double own = 0, everywhere = 0;
};
PotentialConstants potential_constants(double G, const ForceSplit& split, double softening, double mean_density);

}  // namespace multiwalk
