// SPDX-License-Identifier: GPL-3.0-or-later
// The range of units in which tree forces, summed in single precision, keep their accuracy.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Half of all particles lie within `radius` of the median position.
struct SystemScale {
  double radius = 0, mass = 0;  ///< mass: the mean of a particle
};
SystemScale scale_of(const ParticleSystem& system, const Communicator& comm = {});

/// Single precision holds m / R^3 and 1 / R^5 of pairs and cells (Springel 2005, section 3) for radii of 1e-4 to 1e5
/// and particles of 1e-15 to 1e15 in units of length and mass; between there a change of units changes no force. `what`
/// names the system in the message. Throws InputError, on every rank. Collective.
void require_force_range(const ParticleSystem& system, const char* what, const Communicator& comm = {});

}  // namespace multiwalk
