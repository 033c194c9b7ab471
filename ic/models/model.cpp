// SPDX-License-Identifier: GPL-3.0-or-later
// The entry point that makes a model's particles.
#include "ic/models/model.hpp"

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "ic/models/cosmological_sphere.hpp"
#include "ic/models/hubble_lattice.hpp"
#include "ic/models/periodic_box.hpp"
#include "ic/models/plummer.hpp"
#include "ic/models/two_body.hpp"
#include "ic/models/uniform_sphere.hpp"

namespace multiwalk {

ParticleSystem make_model(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                          const ModelProgress& progress, const Communicator& comm) {
  switch (model.kind) {
    case ModelKind::sphere:
      return make_cosmological_sphere(model, ic, cosmology, progress, comm);
    case ModelKind::box:
      return make_periodic_box(model, ic, cosmology, progress, comm);
    case ModelKind::hubble_lattice:
      return make_hubble_lattice(model, ic, cosmology, comm);
    case ModelKind::plummer:
      return make_plummer(model.particles, model.seed, comm);
    case ModelKind::uniform:
      return make_uniform_sphere(model.particles, model.radius, model.seed, comm);
    case ModelKind::two_body:
      return make_two_body(model.eccentricity, comm);
    case ModelKind::galaxy:
      return make_galaxy(model.galaxy, model.particles, model.seed, comm);
    case ModelKind::galaxy_pair:
      return make_galaxy_pair(model.galaxy, model.pair, model.particles, model.seed, comm);
    case ModelKind::kepler_disc:
    case ModelKind::bodies:
      throw SharedError("model.kind = kepler_disc and bodies are for direct summation: set force.method = \"direct\"");
    case ModelKind::file:
      break;
  }
  throw Error("make_model does not read files");
}

std::vector<IdRange> stars_of(const ModelOptions& model) {
  if (model.kind == ModelKind::galaxy) return stars_of_galaxy(model.galaxy, model.particles);
  if (model.kind == ModelKind::galaxy_pair) return stars_of_pair(model.galaxy, model.pair, model.particles);
  return {};
}

}  // namespace multiwalk
