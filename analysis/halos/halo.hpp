// SPDX-License-Identifier: GPL-3.0-or-later
// The properties of a halo. Comoving positions and radii in Mpc/h, masses in 1e10 Msun/h, peculiar velocities in km/s.
#pragma once

#include <cstdint>

#include "host/base/vec3.hpp"

namespace multiwalk {

/// Sphere around a halo's centre with a given mean density, including all its particles; both 0 if there is none.
struct SphericalMass {
  double mass = 0;
  double radius = 0;
};

/// Spherical-overdensity masses about one centre: within 200 and 500 times the critical density, 200 times the mean
/// density, and virial_overdensity times the critical density (Bryan & Norman 1998).
struct HaloSpheres {
  SphericalMass crit200, crit500, mean200, virial;
};

struct Halo : HaloSpheres {
  std::uint64_t id = 0;      ///< smallest particle id of the group
  std::uint64_t number = 0;  ///< members
  double mass = 0;           ///< of the members
  Vec3d centre;
  Vec3d centre_of_mass;            ///< of the members
  Vec3d velocity;                  ///< of the centre of mass
  double velocity_dispersion = 0;  ///< of the members along one axis
  double extent = 0;               ///< distance of the farthest member from the centre
  SphericalMass peak;              ///< largest mass / radius, which gives the largest circular velocity
  double v_max = 0;  ///< that velocity, sqrt(G mass / (a radius)) of the peak; 0 if spheres have too few particles
  double concentration = 0;  ///< NFW, from v_max over the circular velocity at r200 (critical); 0 if either is missing
  Vec3d spin;                ///< angular momentum / mass within r200 (critical), physical Mpc/h km/s
  double spin_peebles = 0, spin_bullock = 0;  ///< of the same sphere (halo_structure.hpp)
};

}  // namespace multiwalk
