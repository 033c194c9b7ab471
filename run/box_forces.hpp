// Forces in a periodic box (TreePM): from one accuracy setting to mesh, split, cut-off and walks.
#pragma once

#include <cstdint>

#include "decomposition/communicator.hpp"
#include "decomposition/mesh_force.hpp"
#include "host/force/gravity_options.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Aims at total errors against Ewald summation, whatever the clustering; custom: the walks' own options are taken.
enum class Accuracy { fast, standard, reference, custom };

/// Zeros are chosen by the accuracy.
struct BoxForceParameters {
  Accuracy accuracy = Accuracy::standard;
  std::uint32_t mesh = 0;  ///< cells a side
  double split = 0;        ///< scale of the Gaussian split in cells of the mesh
  double cutoff = 0;       ///< of the pairs, in scales of the split
};

/// What they come to in one box.
struct BoxForces {
  MeshForceOptions mesh;
  ForceSplit split;
  GravityOptions walks;
};

/// For `particles` in a box of this side; `walks` gives what the accuracy leaves open. The mesh is fine enough for the
/// cut-off to fit the box. Throws InputError for a cut-off that cannot.
BoxForces resolve_box_forces(const BoxForceParameters& parameters, const GravityOptions& walks, std::uint64_t particles,
                             double box_size);

/// True if forces of this system come from mesh and tree: in a box, unless the back end sums over all pairs.
bool uses_mesh(const ParticleSystem& system, const ForceBackend& backend);

}  // namespace multiwalk
