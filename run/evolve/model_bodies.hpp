// SPDX-License-Identifier: GPL-3.0-or-later
// Models as bodies for direct integrators, and bodies as particles for snapshots and images.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/bodies.hpp"
#include "host/particles/particle_system.hpp"
#include "ic/models/model.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// This rank's share of a Newtonian model, in double precision unless it is `uniform` or comes from a snapshot,
/// whose particles are in `from_file`. Throws SharedError. Collective.
Bodies make_bodies(const ModelOptions& model, const ParticleSystem& from_file, const Communicator& comm = {});

Bodies bodies_of(const ParticleStore& particles);

/// The bodies of all ranks at time `time`, with velocities and masses rounded to single precision, as snapshots hold
/// them; that is enough for pictures. Checkpoints keep every bit. Collective.
ParticleSystem particles_of(const Bodies& bodies, double time, const Communicator& comm = {});

/// The particles with which a run with trees starts, unless model.kind is "file": those of make_model, or a table of
/// bodies. Collective. Throws SharedError as make_model and the reader of tables do.
ParticleSystem make_tree_particles(const Parameters& parameters, const ModelProgress& tell,
                                   const Communicator& comm = {});

}  // namespace multiwalk
