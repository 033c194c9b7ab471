// SPDX-License-Identifier: GPL-3.0-or-later
// A whole periodic cosmological realisation.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "ic/models/model.hpp"

namespace multiwalk {

/// The load's particles (ic.grid^3, or twice as many for a body-centred one) in a periodic box with side
/// model.box_size; positions in [0, box_size). Collective.
ParticleSystem make_periodic_box(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                                 const ModelProgress& progress, const Communicator& comm);

}  // namespace multiwalk
