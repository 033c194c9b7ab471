// SPDX-License-Identifier: GPL-3.0-or-later
// Plummer sphere in equilibrium: Aarseth, Henon & Wielen (1974), in the units of Heggie & Mathieu (1986).
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/bodies.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// G = M = 1, scale radius 3 pi/16 (so E = -1/4), cut at 99.9 % of the mass; centre of mass at rest at the origin.
/// Every rank gets its share of ids; particles are the same for any number of ranks. Collective.
ParticleSystem make_plummer(std::uint64_t particles, std::uint64_t seed, const Communicator& comm = {});

/// The same sphere in double precision, for direct integrators: equal positions, velocities equal up to rounding.
/// Collective.
Bodies make_plummer_bodies(std::uint64_t bodies, std::uint64_t seed, const Communicator& comm = {});

}  // namespace multiwalk
