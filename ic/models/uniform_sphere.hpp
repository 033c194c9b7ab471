// SPDX-License-Identifier: GPL-3.0-or-later
// Cold uniform sphere.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Random positions in a sphere of `radius` around the origin, at rest, G = M = 1: collapses at (pi/2) sqrt(radius^3 /
/// 2). Every rank gets its share of ids; particles are the same for any number of ranks. Collective.
ParticleSystem make_uniform_sphere(std::uint64_t particles, double radius, std::uint64_t seed,
                                   const Communicator& comm = {});

}  // namespace multiwalk
