// SPDX-License-Identifier: GPL-3.0-or-later
// The units of Heggie & Mathieu (1986) for star clusters: G = M = 1, E = -1/4.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/bodies.hpp"

namespace multiwalk {

/// Scales velocities to virial equilibrium (2T = |U|), then velocities and lengths to E = -1/4, since a sample of a
/// model has these values only on average. The total mass must be 1, and bodies.potential that of the bodies'
/// positions; it is scaled too. Throws SharedError if the bodies have no kinetic or potential energy. Collective.
void to_standard_units(Bodies& bodies, const Communicator& comm = {});

}  // namespace multiwalk
