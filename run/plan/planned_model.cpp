// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/planned_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ic/models/make_load.hpp"
#include "ic/models/realisation.hpp"
#include "run/evolve/bodies_file.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

std::uint64_t planned_particles(const Parameters& parameters) {
  const ModelOptions& model = parameters.model;
  const auto lattice = particles_per_cell(parameters.ic.load) * std::pow(static_cast<double>(parameters.ic.grid), 3);
  switch (model.kind) {
    case ModelKind::file:
      return read_snapshot_info(model.file, Unsaid::of(parameters)).particles;
    case ModelKind::box:
      return static_cast<std::uint64_t>(lattice);
    case ModelKind::sphere:
    case ModelKind::hubble_lattice:
      return static_cast<std::uint64_t>(lattice * 4 * std::numbers::pi / 3 *
                                        std::pow(model.radius / realisation_side(model), 3));
    case ModelKind::two_body:
      return 2;
    case ModelKind::bodies:
      return read_bodies_file(model.file).size();
    default:
      return model.particles;
  }
}

double planned_period(const Parameters& parameters) {
  if (parameters.model.kind == ModelKind::box) return realisation_side(parameters.model);
  if (parameters.model.kind != ModelKind::file) return 0;
  return period_of(read_snapshot_info(parameters.model.file, Unsaid::of(parameters)).system);
}

bool has_grid(const Parameters& parameters) {
  const ModelKind kind = parameters.model.kind;
  return kind == ModelKind::box || kind == ModelKind::sphere || kind == ModelKind::hubble_lattice;
}

Parameters smaller_model(const Parameters& parameters, std::uint64_t wanted) {
  Parameters small = parameters;
  const std::uint64_t planned = planned_particles(parameters);
  if (planned <= wanted) return small;
  if (!has_grid(parameters)) {
    small.model.particles = wanted;
    if (parameters.model.kind == ModelKind::bodies) small.model.kind = ModelKind::plummer;  // costs about the same
    return small;
  }
  const double shrink = std::cbrt(static_cast<double>(wanted) / static_cast<double>(planned));
  small.ic.grid = std::max(2U, static_cast<std::uint32_t>(std::lround(parameters.ic.grid * shrink)));
  small.model.radius *= shrink;
  small.model.box_size *= shrink;
  if (small.ic.load == LoadKind::glass) small.ic.load = LoadKind::grid;  // costs the same to evolve
  // An equally fine mesh or, if that is too coarse for the cut-off, the accuracy's choice.
  const auto cells = static_cast<std::uint32_t>(parameters.box_force.mesh * shrink / 2) * 2;
  small.box_force.mesh = cells < 32 ? 0 : cells;
  return small;
}

std::optional<BoxForces> planned_box_forces(const Parameters& parameters) {
  const bool all_pairs = parameters.run.backend == "ewald" || parameters.run.backend == "direct";
  const double side = all_pairs ? 0 : planned_period(parameters);
  if (!(side > 0)) return std::nullopt;
  return resolve_box_forces(parameters.box_force, parameters.force, planned_particles(parameters), side);
}

}  // namespace multiwalk
