// SPDX-License-Identifier: GPL-3.0-or-later
// Centre, core and Lagrangian radii of a star cluster.
#pragma once

#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/bodies.hpp"

namespace multiwalk {

/// From the density around each body, rho_i = (mass of its 5 nearest neighbours) / (4 pi/3 r_6^3), where r_6 is the
/// distance of the sixth (Casertano & Hut 1985, section II, j = 6; without the body's own mass and that of the sixth,
/// which makes it unbiased).
struct ClusterCore {
  Vec3d centre;               ///< sum rho x / sum rho
  double density = 0;         ///< sum rho^2 / sum rho
  double density_radius = 0;  ///< sum rho |x - centre| / sum rho (Casertano & Hut 1985)
  double core_radius = 0;     ///< sqrt(sum rho^2 |x - centre|^2 / sum rho^2) (McMillan, Hut & Makino 1990)
};

/// For all ranks' bodies; the same on every rank, and up to rounding for any number of ranks. With six bodies or fewer
/// the centre is the centre of mass and the rest is 0. Collective.
ClusterCore cluster_core(const Bodies& bodies, const Communicator& comm = {});

/// (fractions.size()) For each fraction (0 < f <= 1) of the mass, the distance from `centre` of the body with which the
/// enclosed mass reaches it; 0 without bodies. Any masses. Collective.
std::vector<double> lagrangian_radii(const Bodies& bodies, Vec3d centre, std::span<const double> fractions,
                                     const Communicator& comm = {});

}  // namespace multiwalk
