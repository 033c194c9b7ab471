// SPDX-License-Identifier: GPL-3.0-or-later
// Particles with what is needed to interpret them, as initial conditions make and snapshots hold them.
#pragma once

#include "host/base/vec3.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

enum class Boundary { vacuum, periodic };

/// Comoving systems evolve in the expansion factor, isolated ones in Newtonian time with G = 1.
enum class Frame { comoving, newtonian };

/// Frame, boundary, time and sizes of a system; they hold whether a device or the host has its particles.
struct SystemFacts {
  Frame frame = Frame::comoving;
  Boundary boundary = Boundary::vacuum;
  double time = 1;           ///< expansion factor a (comoving) or time t (Newtonian)
  double box_size = 0;       ///< Mpc/h; periodic side, or side of the cube around a system in a vacuum
  double spacing = 0;        ///< mean interparticle spacing, Mpc/h; 0 if not meaningful
  double sphere_radius = 0;  ///< Mpc/h comoving, radius of the cut; 0 if not a sphere. Its centre is the origin.
};

struct ParticleSystem : SystemFacts {
  ParticleStore particles;
};

/// Side of a periodic system, 0 in vacuum.
inline double period_of(const SystemFacts& system) {
  return system.boundary == Boundary::periodic ? system.box_size : 0;
}

}  // namespace multiwalk
