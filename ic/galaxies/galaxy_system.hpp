// SPDX-License-Identifier: GPL-3.0-or-later
// The particles of a galaxy, or of a pair on its way to merge.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "ic/galaxies/galaxy_options.hpp"

namespace multiwalk {

/// Equal masses, total 1, G = 1; centre of mass at rest at the origin; ids: disc, bulge, halo. Every rank gets its
/// share of ids; particles are the same for any number of ranks. Collective. Throws SharedError that names an option
/// which cannot be used.
ParticleSystem make_galaxy(const GalaxyOptions& galaxy, std::uint64_t particles, std::uint64_t seed,
                           const Communicator& comm = {});

/// Both galaxies, the ids of the first before those of the second. The first has the radii of `galaxy`; speeds follow
/// from masses and radii. Otherwise the same.
ParticleSystem make_galaxy_pair(const GalaxyOptions& galaxy, const GalaxyPairOptions& pair, std::uint64_t particles,
                                std::uint64_t seed, const Communicator& comm = {});

/// Ids from `first` up to `end`.
struct IdRange {
  std::uint64_t first, end;
};

/// The ids of discs and bulges.
std::vector<IdRange> stars_of_galaxy(const GalaxyOptions& galaxy, std::uint64_t particles);
std::vector<IdRange> stars_of_pair(const GalaxyOptions& galaxy, const GalaxyPairOptions& pair, std::uint64_t particles);

}  // namespace multiwalk
