// SPDX-License-Identifier: GPL-3.0-or-later
// Two equal masses on a Kepler orbit.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/bodies.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// G = M = 1, semi-major axis 1 (period 2 pi, energy -1/8), started at apocentre on the x axis. 0 <= eccentricity < 1.
/// Both bodies are on rank 0. Collective.
ParticleSystem make_two_body(double eccentricity, const Communicator& comm = {});

/// Makes the pair of make_two_body in double precision, for direct integrators. Collective.
Bodies make_kepler_pair(double eccentricity, const Communicator& comm = {});

}  // namespace multiwalk
