// SPDX-License-Identifier: GPL-3.0-or-later
// The long-range part of gravity in a periodic box: the mesh of TreePM.
#pragma once

#include <span>

#include "decomposition/mesh/cloud.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"
#include "host/mesh/mesh_force_options.hpp"

namespace multiwalk {

/// Gravity of the Gaussian split's long range (Bagla 2002; Springel 2005): phi_k = -4 pi G rho_k exp(-k^2 rs^2) / k^2
/// for the density contrast, with the window of the assignment divided out twice, differentiated in k-space. It
/// complements the pair force times erfc(r / 2 rs) + r / (rs sqrt(pi)) exp(-r^2 / 4 rs^2), and the pair potential times
/// erfc(r / 2 rs). With softening r is R = sqrt(r^2 + eps^2) there, and phi_k has another factor; likewise for a
/// cut-off of the pairs (host/mesh/split_filter.hpp).
///
/// acceleration (N): set to the force on this rank's particles; the sum of mass times it vanishes up to rounding.
/// potential (N, or empty if not wanted): together with the short range of all others it is Ewald's, with zero mean
/// over the box; it therefore contains the particle's own pair, unsoftened G m / (rs sqrt(pi)), and the short range's
/// mean, 4 pi G rs^2 mean density.
///
/// The result is the same up to rounding for any number of ranks, and repeats bit for bit. Particles need not be near
/// their rank's part of the mesh. Memory: two meshes, on several ranks one more, and that of density_mesh. Collective.
/// Throws SharedError like density_mesh, and if rs is not positive.
void mesh_force(const PeriodicParticles& particles, double G, const MeshForceOptions& options,
                std::span<Vec3f> acceleration, std::span<float> potential, const Communicator& comm = {});

}  // namespace multiwalk
