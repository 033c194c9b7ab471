// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a sphere out of a realisation.
#include "ic/models/cosmological_sphere.hpp"

#include "ic/models/make_load.hpp"
#include "ic/models/realisation.hpp"

namespace multiwalk {

ParticleSystem make_cosmological_sphere(const ModelOptions& model, const IcOptions& ic,
                                        const CosmologyParameters& cosmology, const ModelProgress& progress,
                                        const Communicator& comm) {
  ParticleSystem system = realise(make_load(ic, sphere_region(model), model.seed, progress, comm), model.seed, ic,
                                  cosmology, progress, comm);
  system.boundary = Boundary::vacuum;
  system.sphere_radius = model.radius;
  return system;
}

}  // namespace multiwalk
