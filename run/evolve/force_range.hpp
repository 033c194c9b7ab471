// SPDX-License-Identifier: GPL-3.0-or-later
// The range of units in which tree forces, summed in single precision, keep their accuracy.
#pragma once

#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Half of all particles lie within `radius` of the median position, all within `farthest`.
struct SystemScale {
  double radius = 0, farthest = 0;
  double mass = 0;  ///< mean mass of a particle
  double count = 0;
};
SystemScale scale_of(const ParticleSystem& system, const Communicator& comm = {});

/// Single precision holds m / R^3 and 1 / R^5 of pairs and cells (Springel 2005, section 3) for radii of 1e-4 to 1e5
/// and particle masses of 1e-15 to 1e15; within these limits a change of units changes no force. `what` names the
/// system in the message. Throws SharedError. If a particle is so far away that the tree's cells cannot resolve the
/// others, forces are correct but slow: returns a warning in that case, otherwise "". Collective.
[[nodiscard]] std::string judge_force_range(const ParticleSystem& system, const std::string& what,
                                            const Communicator& comm = {});
/// As judge_force_range, for a system whose scale is known; not collective.
[[nodiscard]] std::string judge_scale(const SystemScale& scale, const std::string& what);
/// As judge_force_range, but the warning goes to standard error.
void require_force_range(const ParticleSystem& system, const std::string& what, const Communicator& comm = {});

}  // namespace multiwalk
