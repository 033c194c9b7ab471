// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/mesh/long_range_mesh.hpp"

#include "decomposition/ranks/agree.hpp"
#include "host/force/backend_services.hpp"
#include "host/gravity/pair_strength.hpp"

namespace multiwalk {

LongRangeMesh::LongRangeMesh(const MeshForceOptions& options, ForceBackend& backend, const Communicator& comm)
    : options_(options), comm_(comm), device_(comm.all(backend.mesh() != nullptr) ? backend.mesh() : nullptr) {
  if (comm.alone()) {
    if (device_ != nullptr) device_->require_libraries(options);
    return;
  }
  others_.emplace(comm, messages_);
  if (device_ != nullptr) collectively(comm, [&] { device_->require_libraries(options); });
}

MeshForceOptions LongRangeMesh::options_for(const PairLaw& law) const {
  MeshForceOptions options = options_;
  options.split_scale = law.split.scale;
  options.pair_cutoff = law.split.cutoff;
  options.softening = law.softening;
  return options;
}

bool LongRangeMesh::add_on_device(ParticleStore& particles, const PairLaw& law) {
  return device_ != nullptr && device_->add_mesh_force(particles, law, options_for(law), others());
}

void LongRangeMesh::add(ParticleStore& particles, const PairLaw& law) {
  if (add_on_device(particles, law)) return;
  const MeshForceOptions options = options_for(law);
  acceleration_.resize(particles.size());
  potential_.resize(particles.size());
  mesh_force({particles.position, particles.mass, law.box_size}, pair_strength() * law.gravitational_constant, options,
             acceleration_, potential_, comm_);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.acceleration[i] += acceleration_[i];
    particles.potential[i] += potential_[i];
  }
}

}  // namespace multiwalk
