// SPDX-License-Identifier: GPL-3.0-or-later
// A subhalo that is followed through time (a track), and its properties at one output.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/halos/halo.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// No track, group or descendant.
inline constexpr std::int64_t none = -1;

struct TrackHead {
  std::int64_t id = none;
  std::int64_t parent = none;  ///< the track of which it is a satellite; none for the central of a group
  std::uint64_t bound = 0;     ///< number of bound particles when it was last found
  std::int32_t born = 0;       ///< number of its first output
  std::int32_t missed = 0;     ///< number of outputs since it was last found
};

/// The state of a track between outputs.
struct Track {
  TrackHead head;
  std::vector<std::uint64_t> member;  ///< ids: bound by increasing energy, then those that may become bound again
};

/// A track at one output. Positions and radii: comoving Mpc/h; velocities: peculiar, km/s; masses: 1e10 Msun/h.
struct Subhalo {
  std::int64_t track = none, parent = none;
  std::uint64_t group = 0;  ///< the smallest id of a particle in it
  std::int32_t rank = 0;    ///< in its group: 0 for the central or, if there is none, the most massive
  std::int32_t parent_rank = 0;
  std::uint64_t number = 0;  ///< of bound particles
  std::uint64_t most_bound = 0;
  double mass = 0;
  Vec3d centre;          ///< position of the most bound particle
  Vec3d centre_of_mass;  ///< of the bound particles, like everything below
  Vec3d velocity;
  double velocity_dispersion = 0;  ///< along one axis
  double v_max = 0, r_max = 0;
  double half_mass_radius = 0;
  Vec3d spin;  ///< angular momentum / mass, physical Mpc/h km/s
};

/// A friends-of-friends group with its subhalos.
struct SubhaloGroup {
  std::uint64_t id = 0;  ///< the smallest id of a particle in it
  std::uint64_t number = 0;
  std::int32_t subhalos = 0;
  double mass = 0;
  Vec3d centre;  ///< of its first subhalo; if it has none, its centre of mass
  Vec3d centre_of_mass, velocity;
  HaloSpheres spheres;  ///< about the centre, of all particles
};

/// The end of a track: too few bound particles are left, or it can no longer be distinguished from its parent.
struct TrackEnd {
  std::int64_t track = none;
  std::int64_t descendant = none;  ///< the track that now has its particles
  std::uint64_t most_bound = 0;    ///< id of the particle that was most bound
};

}  // namespace multiwalk
