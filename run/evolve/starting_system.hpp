// SPDX-License-Identifier: GPL-3.0-or-later
// The particles with which a run would begin, for commands that measure or plan one.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Generates the model, or reads model.file, whose cosmology then replaces the parameters'. Not for bodies of direct
/// summation. Masses and the range of units are checked as in a run (judge_contents, force_range.hpp); rank 0 writes
/// warnings to standard error. Collective. Throws SharedError.
ParticleSystem starting_system(Parameters& parameters, const Communicator& comm = {});

}  // namespace multiwalk
