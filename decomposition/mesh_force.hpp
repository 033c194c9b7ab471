// The long-range part of gravity in a periodic box: TreePM's mesh.
#pragma once

#include <cstdint>
#include <span>

#include "decomposition/cloud.hpp"
#include "decomposition/cloud_stencil.hpp"
#include "decomposition/communicator.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Error of the mesh in the pull of a pair over G m/r^2, by rs in cells: the rms over orientations at the worst
/// distance, 2 to 4 rs, and the largest at any. Far below rs and beyond 6 rs it is ten times smaller and more.
///
///   rs                       1.25             1.5              2
///   TSC              1.6e-3 / 4e-3    9e-4 / 2e-3     3.3e-4 / 9e-4
///   TSC interlaced   1.8e-4 / 4e-4    1.1e-4 / 3e-4   4.2e-5 / 1.2e-4
///   PCS              2.9e-4 / 7e-4    1.2e-4 / 3e-4   3.3e-5 / 9e-5
///   PCS interlaced   1.3e-5 / 4e-5    5.8e-6 / 2e-5   1.8e-6 / 5e-6
struct MeshForceOptions {
  std::uint32_t cells = 0;  ///< a side
  double split_scale = 0;   ///< rs, unit of box_size
  Assignment assignment = Assignment::pcs;
  /// Two meshes shifted by half a cell for the density and for the force alike: twice the work, fewer images.
  bool interlacing = false;
  std::uint64_t in_flight = std::uint64_t{1} << 22;  ///< as DensityOptions
};

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
