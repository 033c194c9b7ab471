// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of Newtonian models with total mass 1 (G = 1).
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"
#include "host/particles/bodies.hpp"
#include "host/particles/particle_system.hpp"
#include "ic/fields/random.hpp"

namespace multiwalk {

/// This rank's nearly equal share of `particles` equal masses that add up to 1, ids 0, 1, ... in rank order, at rest at
/// the origin, at time 0. Throws SharedError for none. Collective.
ParticleSystem isolated_system(std::uint64_t particles, const Communicator& comm);

/// Gives this rank's equal share as bodies, for direct integrators.
Bodies isolated_bodies(std::uint64_t bodies, const Communicator& comm);

/// Isotropic direction times `length` from two random words.
Vec3d isotropic(double length, std::uint64_t word0, std::uint64_t word1);

/// Sets box_size to the side of a cube around the origin that contains every rank's particles. Collective.
void set_bounding_side(ParticleSystem& system, const Communicator& comm);

}  // namespace multiwalk
