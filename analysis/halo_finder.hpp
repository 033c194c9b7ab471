// Halos of a comoving system over ranks: friends of friends, their properties and spherical overdensities.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/halo.hpp"
#include "decomposition/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

struct HaloOptions {
  double linking = 0.2;  ///< linking length / mean interparticle spacing
  std::uint64_t min_particles = 32;
};

/// The halos, the most massive first, equal masses by id: each rank has a share, rank 0 the first, rank 1 those that
/// follow. The same to the last bit for any number of ranks and threads. The particles change ranks and places; of a
/// periodic system they lie in [0, box_size). Centres: group_members.hpp; spheres: spherical_overdensity.hpp; those
/// that reach over the edge of a vacuum system lack what is beyond. Collective. Throws SharedError for a system that is
/// not comoving or whose mean spacing is not known.
std::vector<Halo> find_halos(ParticleSystem& system, const CosmologyParameters& cosmology, const HaloOptions& options,
                             const Communicator& comm = {});

}  // namespace multiwalk
