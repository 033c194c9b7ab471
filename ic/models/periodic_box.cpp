// SPDX-License-Identifier: GPL-3.0-or-later
// Periodic realisation, wrapped into its box.
#include "ic/models/periodic_box.hpp"

#include "ic/models/make_load.hpp"
#include "ic/models/realisation.hpp"

namespace multiwalk {

ParticleSystem make_periodic_box(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                                 const ModelProgress& progress, const Communicator& comm) {
  const double side = realisation_side(model);
  ParticleSystem system =
      realise(make_load(ic, {side, 0}, model.seed, progress, comm), model.seed, ic, cosmology, progress, comm);
  system.boundary = Boundary::periodic;
  wrap(system.particles, side);
  return system;
}

}  // namespace multiwalk
