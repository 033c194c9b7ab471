// SPDX-License-Identifier: GPL-3.0-or-later
// Lattice sphere at rest in comoving coordinates; jitter keyed by particle id.
#include "ic/models/hubble_lattice.hpp"

#include "decomposition/ranks/agree.hpp"
#include "ic/fields/random.hpp"
#include "ic/models/make_load.hpp"
#include "ic/models/realisation.hpp"

namespace multiwalk {

namespace {

void jitter(ParticleStore& particles, double amplitude, std::uint64_t seed) {
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const RandomWords words = philox({particles.id[p], 0, 0, 0}, seed, random_stream::jitter);
    for (int axis = 0; axis < 3; ++axis) {
      particles.position[p][axis] += amplitude * (2 * uniform_open_above(words[static_cast<std::size_t>(axis)]) - 1);
    }
  }
}

}  // namespace

ParticleSystem make_hubble_lattice(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                                   const Communicator& comm) {
  if (!(model.jitter >= 0 && model.jitter <= 0.5)) throw SharedError("model.jitter must lie between 0 and 0.5");
  ParticleSystem system =
      unperturbed(make_load(ic, sphere_region(model), model.seed, nullptr, comm), ic, cosmology, comm);
  if (model.jitter > 0) jitter(system.particles, model.jitter * system.spacing, model.seed);
  system.boundary = Boundary::vacuum;
  system.sphere_radius = model.radius;
  return system;
}

}  // namespace multiwalk
