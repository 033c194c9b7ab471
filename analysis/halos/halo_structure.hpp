// SPDX-License-Identifier: GPL-3.0-or-later
// Spin and concentration of halos, from the particles of their spheres.
#pragma once

#include <span>

#include "analysis/halos/halo.hpp"
#include "analysis/halos/sphere_sample.hpp"

namespace multiwalk {

/// For all particles in a sphere, including unbound ones, about its centre and relative to their mean velocity.
struct HaloSpin {
  Vec3d specific;      ///< angular momentum / mass, physical Mpc/h km/s
  double peebles = 0;  ///< J |E|^(1/2) / (G M^(5/2)) (Peebles 1969)
  double bullock = 0;  ///< J / (sqrt(2) M V R), V^2 = G M / R (Bullock et al. 2001, eq. 5)
};

/// `inside`: the sphere's particles, comoving Mpc/h; `sphere`: their mass and comoving radius; `hubble`: H(a), km/s per
/// Mpc/h. The energy E includes the kinetic energy of physical velocities (with the Hubble flow) and the potential
/// energy of the pairs without softening: all pairs of up to 1000 particles; of more, those of 1000 chosen by id,
/// scaled to all (Bett et al. 2007). The same for the same order of particles.
HaloSpin measure_spin(std::span<const SphereSample> inside, const SphericalMass& sphere, double a, double hubble);

/// Concentration c of the profile of Navarro, Frenk & White (1997) whose largest circular velocity is `ratio` times
/// that at c scale radii: V_max / V_200 = sqrt(0.216 c / (ln(1+c) - c/(1+c))) (Prada et al. 2012, eq. 9). At least
/// 2.163, where the two velocities are equal; lower concentrations cannot be told apart.
double nfw_concentration(double ratio);

}  // namespace multiwalk
