// SPDX-License-Identifier: GPL-3.0-or-later
// Lagrangian perturbation theory to third order: Zel'dovich (1970); Bouchet et al. (1995); Catelan (1995); Scoccimarro
// (1998); Michaux et al. (2021).
#pragma once

#include <functional>
#include <string>

#include "decomposition/mesh/pencil_mesh.hpp"
#include "host/particles/particle_store.hpp"
#include "ic/loads/load.hpp"

namespace multiwalk {

/// Factors of one term: displacement, and canonical momentum a^2 dx/dt = a v_pec, which is a^2 H times the
/// displacement's factor times its logarithmic growth rate, km/s/(Mpc/h).
struct LptTerm {
  double position = 0, momentum = 0;
  [[nodiscard]] bool wanted() const { return position != 0 || momentum != 0; }
};

/// x = q - position1 grad phi1 + position2 grad phi2 + position3 (grad phi3a, grad phi3b, curl A), and p in the same
/// way; lap phi1 = delta, the other sources as in ic/lpt/lpt_sources.hpp. Terms with factor zero are not computed.
struct LptFactors {
  double position1 = 0, position2 = 0;  ///< D1, D2 relative to the epoch of delta
  double momentum1 = 0, momentum2 = 0;
  LptTerm determinant{}, mixed{}, transverse{};  ///< D3a, D3b, D3c
};

/// Makes the load's particles, with position and velocity from the modes of delta; each rank holds those in its pencil
/// of the mesh. At the sites of lattices waves are exact up to rounding (a phase gives those of the second lattice). At
/// the points of a glass they are interpolated by piecewise cubic splines on two interlaced meshes with dealiased_cells
/// per side; the error is at most 3e-4 of the displacement for waves of half the Nyquist wavenumber along each axis and
/// 6e-3 near it, falling as k^4. The same bits for any number of ranks. Positions are not wrapped. To save memory,
/// sources are made before the particles and `delta` is consumed. `progress(part, fraction)` is called for every source
/// and derivative; it may be null. Collective.
void displace(PencilMesh delta, const LptFactors& factors, const Load& load, ParticleStore& particles,
              const std::function<void(const std::string&, double)>& progress = nullptr);

}  // namespace multiwalk
