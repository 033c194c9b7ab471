// SPDX-License-Identifier: GPL-3.0-or-later
// The particles with which a run would begin, for commands that measure or plan one.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// A model that is made, or the particles of model.file, whose cosmology then replaces the parameters'. Not for bodies
/// of direct summation. Masses and the range of units are judged as by a run (judge_masses, force_range.hpp); a warning
/// goes to standard error, from rank 0. Collective. Throws SharedError.
ParticleSystem starting_system(Parameters& parameters, const Communicator& comm = {});

}  // namespace multiwalk
