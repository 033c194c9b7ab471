// SPDX-License-Identifier: GPL-3.0-or-later
// A sphere cut from a cosmological realisation, with vacuum outside.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "ic/models/model.hpp"

namespace multiwalk {

/// The particles whose Lagrangian position is within `model.radius` of the centre of a periodic realisation with side
/// model.box_size (0: twice the radius) on ic.grid^3 cells; the sphere's centre is the origin. Collective.
ParticleSystem make_cosmological_sphere(const ModelOptions& model, const IcOptions& ic,
                                        const CosmologyParameters& cosmology, const ModelProgress& progress,
                                        const Communicator& comm);

}  // namespace multiwalk
