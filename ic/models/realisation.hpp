// SPDX-License-Identifier: GPL-3.0-or-later
// A cosmological realisation of Gaussian initial conditions: linear power, field, LPT, particles.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "ic/loads/load.hpp"
#include "ic/models/model.hpp"

namespace multiwalk {

/// Side of the realised box, Mpc/h: model.box_size, or twice the radius if that is 0.
double realisation_side(const ModelOptions& model);

/// An unperturbed comoving system at z_start: the load's particles at rest with their mean masses, id = number in the
/// load. Collective.
ParticleSystem unperturbed(const Load& load, const IcOptions& ic, const CosmologyParameters& cosmology,
                           const Communicator& comm);

/// The load displaced by LPT at z_start; positions relative to the load's origin, canonical velocities p = a^2 dx/dt.
/// Collective.
ParticleSystem realise(Load load, std::uint64_t seed, const IcOptions& ic, const CosmologyParameters& cosmology,
                       const ModelProgress& progress, const Communicator& comm);

}  // namespace multiwalk
