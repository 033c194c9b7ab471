// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range part of gravity in a periodic box: TreePM's mesh.
#pragma once

#include <span>

#include "decomposition/mesh/cloud.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"
#include "host/mesh/mesh_force_options.hpp"

namespace multiwalk {

/// Gravity of the Gaussian split's long range (Bagla 2002; Springel 2005): phi_k = -4 pi G rho_k exp(-k^2 rs^2) / k^2
/// of the density's contrast, the window of the assignment divided out twice, differentiated in k-space. Its partner is
/// the pair force times erfc(r / 2 rs) + r / (rs sqrt(pi)) exp(-r^2 / 4 rs^2), the pair potential times erfc(r / 2 rs).
///
/// acceleration (N): set to what this rank's particles feel; the sum of mass times it vanishes to rounding.
/// potential (N, or empty if not wanted): with the short range of all others it is Ewald's, of zero mean over the box;
/// so G m / (rs sqrt(pi)), the particle's own pair, and 4 pi G rs^2 mean density, the short range's mean, are in it.
///
/// The same to rounding for any number of ranks, bitwise repeatable. Particles need not be near their rank's part of
/// the mesh. Memory: two meshes, on several ranks one more, and that of density_mesh. Collective. Throws SharedError as
/// density_mesh, and unless rs is positive.
void mesh_force(const PeriodicParticles& particles, double G, const MeshForceOptions& options,
                std::span<Vec3f> acceleration, std::span<float> potential, const Communicator& comm = {});

}  // namespace multiwalk
