// The mass functions of a catalogue beside fits from linear theory, and their page.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "analysis/halo.hpp"
#include "decomposition/communicator.hpp"
#include "run/snapshot.hpp"

namespace multiwalk {

/// {redshift, volume, fof, mean200}, the last two each {fit, bins: [{low, high, mass, count, density, error, fitted}]}:
/// masses in Msun/h, volume in (Mpc/h)^3, densities dn/dlnM in (h/Mpc)^3. Fits: Jenkins et al. (2001) for FOF masses,
/// Tinker et al. (2008) for spheres of 200 times the mean density, with sigma(M) of the linear power (Eisenstein & Hu
/// 1998) of `info`; null where they have none. Spheres are counted from twice `lowest` (1e10 Msun/h, the least mass of
/// a group) on: lighter ones are incomplete. `halos`: each rank's share. Collective.
nlohmann::json halo_mass_functions(std::span<const Halo> halos, const SnapshotInfo& info, double lowest,
                                   const Communicator& comm = {});

/// A page with a chart of each.
std::string halo_page(const std::string& title, const nlohmann::json& mass_functions, const std::string& summary);

}  // namespace multiwalk
