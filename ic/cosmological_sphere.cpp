// Sphere of a realisation.
#include "ic/cosmological_sphere.hpp"

#include "ic/realisation.hpp"

namespace multiwalk {

ParticleSystem make_cosmological_sphere(const ModelOptions& model, const IcOptions& ic,
                                        const CosmologyParameters& cosmology, const ModelProgress& progress,
                                        const Communicator& comm) {
  ParticleSystem system = realise(lattice_sphere(ic.grid, realisation_side(model), model.radius, comm), model.seed, ic,
                                  cosmology, progress, comm);
  system.boundary = Boundary::vacuum;
  system.sphere_radius = model.radius;
  return system;
}

}  // namespace multiwalk
