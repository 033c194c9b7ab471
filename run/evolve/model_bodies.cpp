// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/model_bodies.hpp"

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"
#include "ic/isolated/isolated.hpp"
#include "ic/models/kepler_disc.hpp"
#include "ic/models/plummer.hpp"
#include "ic/models/two_body.hpp"
#include "run/evolve/bodies_file.hpp"

namespace multiwalk {

Bodies make_bodies(const ModelOptions& model, const ParticleSystem& from_file, const Communicator& comm) {
  switch (model.kind) {
    case ModelKind::plummer:
      return make_plummer_bodies(model.particles, model.seed, comm);
    case ModelKind::two_body:
      return make_kepler_pair(model.eccentricity, comm);
    case ModelKind::kepler_disc:
      return make_kepler_disc(model.particles, model.disc_mass, model.seed, comm);
    case ModelKind::bodies:
      return read_bodies_file(model.file, comm);
    case ModelKind::file:
      return bodies_of(from_file.particles);
    default:
      return bodies_of(make_model(model, {}, {}, nullptr, comm).particles);
  }
}

Bodies bodies_of(const ParticleStore& particles) {
  Bodies bodies;
  bodies.resize(particles.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i] = particles.position[i];
    bodies.velocity[i] = static_cast<Vec3d>(particles.velocity[i]);
    bodies.mass[i] = static_cast<double>(particles.mass[i]);
    bodies.id[i] = particles.id[i];
  }
  return bodies;
}

ParticleSystem particles_of(const Bodies& bodies, double time, const Communicator& comm) {
  ParticleSystem system;
  system.frame = Frame::newtonian;
  system.time = time;
  ParticleStore& particles = system.particles;
  particles.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    particles.position[i] = bodies.position[i];
    particles.velocity[i] = static_cast<Vec3f>(bodies.velocity[i]);
    particles.mass[i] = static_cast<float>(bodies.mass[i]);
    particles.potential[i] = static_cast<float>(bodies.potential[i]);
    particles.id[i] = bodies.id[i];
  }
  set_bounding_side(system, comm);
  return system;
}

ParticleSystem make_tree_particles(const Parameters& parameters, const ModelProgress& tell, const Communicator& comm) {
  if (parameters.model.kind == ModelKind::bodies) {
    return particles_of(read_bodies_file(parameters.model.file, comm), 0, comm);
  }
  return make_model(parameters.model, parameters.ic, parameters.cosmology, tell, comm);
}

}  // namespace multiwalk
