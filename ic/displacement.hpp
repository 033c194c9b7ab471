// Lagrangian perturbation theory to second order: Zel'dovich (1970); Bouchet et al. (1995); Scoccimarro (1998).
#pragma once

#include <functional>

#include "decomposition/pencil_mesh.hpp"
#include "host/particles/particle_store.hpp"
#include "ic/load.hpp"

namespace multiwalk {

/// x = q - position1 grad phi1 + position2 grad phi2,  p = -momentum1 grad phi1 + momentum2 grad phi2,
/// lap phi1 = delta, lap phi2 = sum_{i<j} (phi1,ii phi1,jj - phi1,ij^2). With second order off, *2 are zero.
struct LptFactors {
  double position1 = 0, position2 = 0;  ///< D1, D2 relative to the epoch of delta
  double momentum1 = 0,
         momentum2 = 0;  ///< a^2 H D1 f1, a^2 H D2 f2 (canonical momentum a^2 dx/dt = a v_pec), km/s/(Mpc/h)
};

/// Cells of the finer mesh on which products of two modes below the Nyquist wavenumber of `cells` alias onto none of
/// these: about 3/2 as many (Orszag 1971), and quick to transform.
std::uint32_t dealiased_cells(std::uint32_t cells);

/// Modes of lap phi2 from those of delta, free of aliases. Collective.
PencilMesh second_order_source(const PencilMesh& delta);

/// Makes the load's particles, position and velocity set from the modes of delta; each rank holds the sites in its
/// pencil of the mesh. Positions are not wrapped. The second order is made before the particles, and `delta` is
/// consumed, to spare memory. `progress(fraction)` may be null. Collective.
void displace(PencilMesh delta, const LptFactors& factors, const LatticeLoad& load, ParticleStore& particles,
              const std::function<void(double)>& progress = nullptr);

}  // namespace multiwalk
