// SPDX-License-Identifier: GPL-3.0-or-later
// A sphere of lattice particles in pure Hubble flow.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "ic/models/model.hpp"

namespace multiwalk {

/// Like the cosmological sphere, but undisplaced (or shifted at random by up to model.jitter spacings along each axis)
/// and without peculiar velocities. Collective.
ParticleSystem make_hubble_lattice(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                                   const Communicator& comm);

}  // namespace multiwalk
