// SPDX-License-Identifier: GPL-3.0-or-later
// The force law of two particles during one evaluation.
#pragma once

#include "host/gravity/short_range.hpp"
#include "host/tree/gravity_options.hpp"

namespace multiwalk {

/// a = G sum m d/R^3, phi = -G sum m/R, R^2 = r^2 + softening^2 (Plummer); in a periodic box summed over all images
/// minus the mean density, each softened alike (host/exact/ewald.hpp).
struct PairLaw {
  double gravitational_constant = 1;
  double softening = 0;  ///< length, in the coordinates of the particles; 0: a coincident pair exerts no force
  MultipoleOrder order = MultipoleOrder::quadrupole;
  double box_size = 0;  ///< side of the periodic box; 0: vacuum
  ForceSplit split{};   ///< periodic boxes: pairs give only the short-range part (TreePM)
  int expansion = 0;    ///< order of local expansions; 0: none
};

/// The potential that kernels count for a unit mass at its own position: 1/R, or its short-range part.
inline double own_depth(const PairLaw& law) {
  const double softening = is_softened(law.softening * law.softening) ? law.softening : 0;
  const double whole = softening > 0 ? 1 / softening : 0;
  return law.split.scale > 0 ? whole - long_range_depth(law.split, softening) : whole;
}

}  // namespace multiwalk
