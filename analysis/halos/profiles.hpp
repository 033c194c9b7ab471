// SPDX-License-Identifier: GPL-3.0-or-later
// Spherically averaged profiles around a centre.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

struct ProfileOptions {
  Vec3d centre;
  double r_min = 0, r_max = 0;  ///< edges of the first and the last bin, comoving; 0 < r_min < r_max
  int bins = 40;
  double period = 0;        ///< positions are in [0, period), r_max at most half of it; 0: vacuum
  double scale_factor = 1;  ///< of the circular velocity; 1 for physical lengths
  double gravitational_constant = 1;
};

struct ProfileBin {
  double low = 0, high = 0;  ///< edges, the upper one excluded
  std::uint64_t count = 0;
  double mass = 0;
  double density = 0;            ///< mass / volume, comoving
  double enclosed = 0;           ///< mass within `high`
  double circular_velocity = 0;  ///< at `high`: sqrt(G enclosed / (a high))
};

/// Shells of equal width in ln r; particles nearer than r_min count only for the enclosed mass. Sums are exact: the
/// same to the last bit for any number of ranks, wherever the particles are. Collective.
std::vector<ProfileBin> spherical_profile(const ParticleStore& particles, const ProfileOptions& options,
                                          const Communicator& comm = {});

}  // namespace multiwalk
