// SPDX-License-Identifier: GPL-3.0-or-later
// The mass functions of a catalogue compared with fits from linear theory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "analysis/halos/halo.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// {redshift, volume, fof, mean200}, the last two each {fit, bins: [{low, high, mass, count, density, error, fitted}]}:
/// masses in Msun/h, volume in (Mpc/h)^3, densities dn/dlnM in (h/Mpc)^3. Fits: Jenkins et al. (2001) for FOF masses,
/// Tinker et al. (2008) for spheres of 200 times the mean density, with sigma(M) of the linear power: Eisenstein &
/// Hu (1998), or `transfer_file` if that is not empty; null at masses without a fit. Bins begin at groups of
/// `min_particles`, those of spheres at twice that mass, because lighter spheres are incomplete. `halos`: each rank's
/// share. Collective.
nlohmann::json halo_mass_functions(std::span<const Halo> halos, const ParticleSystem& system,
                                   const CosmologyParameters& cosmology, const std::string& transfer_file,
                                   std::uint64_t min_particles, const Communicator& comm = {});

}  // namespace multiwalk
