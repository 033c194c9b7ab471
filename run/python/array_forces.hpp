// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on the caller's own arrays, in any units, by the solver and the back ends of runs.
#pragma once

#include <string>

#include "host/base/vec3.hpp"
#include "host/particles/number_array.hpp"
#include "host/tree/gravity_options.hpp"
#include "run/parameters/sections/force.hpp"

namespace multiwalk {

/// Element i of every array belongs to particle i.
struct ForceArrays {
  NumberArray position;  ///< (3 N) x, y, z of each
  NumberArray mass;      ///< (N), not negative
  NumberArray previous;  ///< (3 N) approximate accelerations, for the relative criterion; empty: unknown
  /// (N) set to G sum m d/R^3, R^2 = r^2 + softening^2, and -G sum m/R, own pair excluded; periodic:
  /// host/exact/ewald.hpp
  ResultArrays results;
  bool on_device = false;  ///< all lie on a GPU

  [[nodiscard]] std::size_t count() const { return position.size() / 3; }
};

struct ArrayForceOptions {
  double softening = 0;  ///< in the unit of the positions
  double gravitational_constant = 1;
  double box_size = 0;  ///< side of the periodic box; 0: vacuum. Positions outside are wrapped
  GravityOptions walks;
  BoxForceParameters box;
  std::string backend = "auto";  ///< as for choose_backend
  int threads = 0;               ///< 0: OpenMP's number
};

/// By trees (periodic: with a mesh), or by the sums of back ends `direct` and `ewald`; tree sums are in single
/// precision. Throws InputError for arrays of different lengths, none or too many particles, numbers that are not
/// finite, negative masses, and what the single precision of trees cannot hold. Returns a warning if a distant particle
/// makes it slow, otherwise "".
std::string tree_forces(const ForceArrays& arrays, const ArrayForceOptions& options);

/// By sums over all pairs in a vacuum, with the default precision of direct runs. `backend`: as for
/// choose_direct_backend. Throws InputError as tree_forces does. Numbers and results must be in double precision.
void pair_forces(const ForceArrays& arrays, const ArrayForceOptions& options);

/// The most particles of one call.
inline constexpr std::size_t most_array_particles = 4'000'000'000;

}  // namespace multiwalk
