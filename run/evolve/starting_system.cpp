// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/starting_system.hpp"

#include <utility>

#include "run/evolve/force_range.hpp"
#include "run/evolve/model_bodies.hpp"
#include "run/files/printable.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

ParticleSystem starting_system(Parameters& parameters, const Communicator& comm) {
  const ModelOptions& model = parameters.model;
  if (model.kind != ModelKind::file) {
    ParticleSystem made = make_tree_particles(parameters, nullptr, comm);
    require_force_range(made, model_name(parameters), comm);
    return made;
  }
  SnapshotInfo info = read_snapshot(model.file, comm, Unsaid::of(parameters));
  const std::string warning = judge_contents(info, "model.file " + model.file, model.allow_mass_mismatch);
  if (comm.root()) warn_on_stderr(warning);
  if (info.system.frame == Frame::comoving) parameters.cosmology = info.cosmology;
  require_force_range(info.system, model_name(parameters), comm);
  return std::move(info.system);
}

}  // namespace multiwalk
