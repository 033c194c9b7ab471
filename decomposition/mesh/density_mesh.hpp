// SPDX-License-Identifier: GPL-3.0-or-later
// Density of the particles of a periodic box on the distributed mesh.
#pragma once

#include <cstdint>

#include "decomposition/mesh/cloud.hpp"
#include "decomposition/mesh/pencil_mesh.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/mesh/mass_assignment.hpp"

namespace multiwalk {

struct DensityOptions {
  Assignment assignment = Assignment::tsc;
  int fold = 0;           ///< positions times 2^fold modulo the box (Jenkins et al. 1998)
  double mesh_shift = 0;  ///< mesh point i is at (i + mesh_shift) box_size / cells along every axis; 0 to 1
  /// Clouds of 32 bytes that a rank sends or receives at once, plus one for each rank.
  std::uint64_t in_flight = std::uint64_t{1} << 22;
};

/// All ranks' masses in units of the heaviest; the same bits for any number of ranks and threads.
struct MassSums {
  std::uint64_t particles = 0;
  double heaviest = 0;  ///< unit of the masses
  double sum = 0, sum_of_squares = 0;
};

/// Collective. Throws SharedError unless positions and masses are finite, no mass is negative and some mass is
/// positive.
MassSums sum_masses(const PeriodicParticles& particles, const Communicator& comm = {});

/// Values of density / mean density at `cells`^3 mesh points. Shares of mass are rounded to 2^-51 of all mass and then
/// added exactly, which gives the same bits for any number of ranks and threads. Every rank sends clouds to the ranks
/// that hold the points they touch, options.in_flight at once. Memory beside the mesh: on several ranks a little more
/// than 4 bytes per particle, and 80 bytes for each cloud in flight. Collective. Throws SharedError for fewer than 4
/// cells, if the side is not positive, and like sum_masses. `masses`: the result of sum_masses.
PencilMesh density_mesh(const PeriodicParticles& particles, const MassSums& masses, std::uint32_t cells,
                        const DensityOptions& options, const Communicator& comm = {});
inline PencilMesh density_mesh(const PeriodicParticles& particles, std::uint32_t cells,
                               const DensityOptions& options = {}, const Communicator& comm = {}) {
  return density_mesh(particles, sum_masses(particles, comm), cells, options, comm);
}

}  // namespace multiwalk
