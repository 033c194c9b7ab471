// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/models/standard_units.hpp"

#include <cmath>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/exact_sum.hpp"

namespace multiwalk {

void to_standard_units(Bodies& bodies, const Communicator& comm) {
  ExactSum twice_kinetic;
  ExactSum twice_potential;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    twice_kinetic.add(bodies.mass[i] * norm2(bodies.velocity[i]));
    twice_potential.add(bodies.mass[i] * bodies.potential[i]);
  }
  const double kinetic = twice_kinetic.total(comm) / 2, potential = twice_potential.total(comm) / 2;
  if (!(kinetic > 0 && potential < 0))
    throw SharedError(
        "bodies without energy have no standard units: give at least two bodies, with masses and at different "
        "positions");
  const double length = -2 * potential;  // E = U/2 in equilibrium
  const double speed = std::sqrt(-potential / 2 / kinetic / length);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i] *= length;
    bodies.velocity[i] *= speed;
    bodies.potential[i] /= length;
  }
}

}  // namespace multiwalk
