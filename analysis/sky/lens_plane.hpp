// SPDX-License-Identifier: GPL-3.0-or-later
// Slabs of a periodic box projected along an axis, for multiple-plane lensing.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "decomposition/mesh/density_mesh.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"

namespace multiwalk {

struct SlabOptions {
  std::uint32_t pixels = 0;  ///< per side of the box
  Assignment assignment = Assignment::cic;
  int normal = 0;           ///< axis along which matter is projected
  std::uint32_t slabs = 1;  ///< equal ones into which the box is cut along it
};

struct ProjectedSlab {
  /// (pixels^2) Surface density / mean surface density of a slab; the first of the two other axes is the slow one, and
  /// pixel i has its centre at (i + 1/2) box_size / pixels.
  std::vector<double> density;
  std::uint64_t particles = 0;  ///< number in the slab
};

/// Calls take(slab, result) for all slabs along the normal in turn. Slab s has the particles with s box_size / slabs <=
/// coordinate < (s + 1) box_size / slabs. Shares of mass are rounded to 2^-60 of all mass and then added exactly, which
/// gives the same bits for any number of ranks and threads. Memory: 16 bytes per pixel and 4 per particle on each rank.
/// Collective, and take() is called on every rank. `masses`: the result of sum_masses.
void project_slabs(const PeriodicParticles& particles, const MassSums& masses, const SlabOptions& options,
                   const Communicator& comm, const std::function<void(std::uint32_t, const ProjectedSlab&)>& take);

/// Convergence of a source at infinity per overdensity of a slab: 3/2 Omega_m (H0/c)^2 distance thickness / a (Petri
/// 2016, LensTools). Lengths are comoving, in Mpc/h.
double plane_convergence(const Expansion& expansion, double distance, double thickness, double a);

}  // namespace multiwalk
