// SPDX-License-Identifier: GPL-3.0-or-later
// Memory and run time of a run before it is made: counted bytes and a short measurement on this machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "run/backends/tree_backend.hpp"
#include "run/evolve/box_forces.hpp"
#include "run/parameters/parameters.hpp"
#include "run/plan/expected_steps.hpp"
#include "run/plan/mean_list.hpp"

namespace multiwalk {

struct MemoryPlan {
  std::uint64_t particles = 0;
  double program = 0;             ///< bytes before there are particles: code, libraries, MPI, a device's context
  double initial_conditions = 0;  ///< bytes at peak while they are made, beside the program's
  double step = 0;                ///< bytes at peak of a step or of an output, per rank, beside the program's
  double mesh = 0;                ///< those of the mesh of a periodic box in a step, part of `step`
  double device = 0;              ///< bytes per device; 0 on the CPU
  double to_keep = 0;             ///< bytes that a device must have for particles to stay on it; 0: they never do
  double not_kept = 0;            ///< bytes per device if they do not, though it makes the walks (cuda-resident)
  double snapshot = 0;            ///< bytes of one snapshot on disk

  [[nodiscard]] double peak() const { return program + std::max(initial_conditions, step); }
};

struct TimePlan {
  double particles_per_second = 0;  ///< in the fastest of three steps of a small model of the same kind
  std::uint64_t sample = 0;         ///< particles of that model
  ExpectedSteps expected;
  double seconds_per_step = 0;  ///< of all particles
  MeanList list;                ///< of all particles of the run

  [[nodiscard]] double seconds() const { return expected.evaluations * seconds_per_step; }
};

/// How many particles the parameters give (a file's header is read).
std::uint64_t planned_particles(const Parameters& parameters);
/// The side of their periodic box (the same), internal length; 0 in a vacuum.
double planned_period(const Parameters& parameters);
/// The same model at the same density with about `wanted` particles instead of `planned`; itself if it has no more.
Parameters smaller_model(const Parameters& parameters, std::uint64_t planned, std::uint64_t wanted);
/// Bytes at peak on the fullest of `ranks`, making initial conditions.
double conditions_bytes(const Parameters& parameters, int ranks);
/// Bytes at peak of a step on a rank with this number of particles, other ranks' trees and the mesh not counted.
double step_bytes(const Parameters& parameters, double particles);
/// The peak on several ranks while interactions are counted (output.census_epochs); 0 if they are not.
double census_bytes(const Parameters& parameters, double particles);
/// Bytes at peak of drawing a square image.
double image_bytes(std::uint32_t pixels);
/// A rank's share of the meshes that a transform needs at its peak, with `cells` cells per side.
double meshes_bytes(std::uint32_t cells, int ranks);
/// Bytes that the mesh of these forces adds on one of `ranks` ranks with this number of particles: its share of two
/// meshes, on several ranks of one more, 20 bytes per particle and the clouds under way.
double mesh_bytes(const BoxForces& forces, double particles, int ranks);
/// Mesh and walks of a periodic box; none for other models and where all pairs are summed.
std::optional<BoxForces> planned_box_forces(const Parameters& parameters);
/// `program` is taken from this process: call it before anything large is made, on the machine of the run.
/// `device_walks`: the only device makes the walks, so that particles stay on it if they can (cuda-resident).
/// On several `ranks` the figures are those of each, which has `devices`; trees that other ranks send are not counted.
MemoryPlan plan_memory(const Parameters& parameters, int devices, bool device_walks = false, int ranks = 1);
TimePlan plan_time(const Parameters& parameters, ForceBackend& backend);
ListGrowth growth_of(const GravityOptions& walks, const ForceBackend& backend);

}  // namespace multiwalk
