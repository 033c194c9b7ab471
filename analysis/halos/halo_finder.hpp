// SPDX-License-Identifier: GPL-3.0-or-later
// Halos of a comoving system over ranks: friends of friends, their properties and spherical overdensities.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/halos/group_members.hpp"
#include "analysis/halos/halo.hpp"
#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

struct HaloOptions {
  double linking = 0.2;  ///< linking length / mean interparticle spacing
  std::uint64_t min_particles = 32;
};

/// One rank's part of all halos.
struct HaloCatalogue {
  std::vector<Halo> halos;   ///< a share: rank 0 has the first, rank 1 those that follow, ...
  GroupMembers members;      ///< of this rank's particles
  std::vector<double> mass;  ///< (pieces) of the whole group
};

/// A warning if the particles' masses differ by more than 1e-3, otherwise empty: groups are linked by the mean spacing
/// of all particles, whatever their mass. Collective.
std::string warning_of_unequal_masses(const ParticleSystem& system, const Communicator& comm);

/// Throws SharedError for a system that is not comoving or whose mean spacing is not known: it has no halos.
void require_halos(const ParticleSystem& system);

/// The halos, the most massive first, equal masses by id: the same to the last bit for any number of ranks and threads.
/// Every particle lies in its rank's domain; those of a periodic system in [0, box_size). Potentials, unless all are
/// zero, are of the pull of the particles; the background's is added. Centres: group_members.hpp; spheres:
/// spherical_overdensity.hpp; those that reach over the edge of a vacuum system lack what is beyond. Collective. Throws
/// what require_halos throws.
HaloCatalogue find_halos(const ParticleSystem& system, const DomainMap& domains, const CosmologyParameters& cosmology,
                         const HaloOptions& options, const Communicator& comm = {});

/// The halo of this place in the list of all ranks, on every rank; `mine`: HaloCatalogue::halos. Collective. Throws
/// SharedError if there are fewer.
Halo halo_at(std::span<const Halo> mine, std::uint64_t place, const Communicator& comm = {});

}  // namespace multiwalk
