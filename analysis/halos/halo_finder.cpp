// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/halo_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "analysis/halos/friends_of_friends.hpp"
#include "analysis/halos/spherical_overdensity.hpp"
#include "analysis/sums/sample_sort.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/cosmology/background_potential.hpp"

namespace multiwalk {

namespace {

/// With the background's; none if all potentials are zero on every rank.
PotentialOf whole_potential(const ParticleSystem& system, const CosmologyParameters& cosmology,
                            const Communicator& comm) {
  if (!comm.any(std::ranges::any_of(system.particles.potential, [](float phi) { return phi != 0; }))) return {};
  return [&system, &cosmology](std::uint32_t i) {
    const ParticleStore& p = system.particles;
    return static_cast<float>(static_cast<double>(p.potential[i]) +
                              background_potential(system, cosmology, p.position[i]));
  };
}

}  // namespace

void require_halos(const ParticleSystem& system) {
  if (system.frame != Frame::comoving) throw SharedError("halos need a comoving system: this one is Newtonian");
  if (!(system.spacing > 0)) throw SharedError("halos need the mean interparticle spacing, which is not known here");
}

std::string warning_of_unequal_masses(const ParticleSystem& system, const Communicator& comm) {
  constexpr double noticed = 1e-3;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  const std::span<const float> mass(system.particles.mass);
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most)
  for (std::size_t i = 0; i < mass.size(); ++i) {
    least = std::min(least, static_cast<double>(mass[i]));
    most = std::max(most, static_cast<double>(mass[i]));
  }
  least = comm.min(least);
  most = comm.max(most);
  if (most - least <= noticed * most) return "";
  return fmt::format(
      "the particles' masses differ (from {:.4g} to {:.4g} 1e10 Msun/h), but groups are linked by one length, "
      "from the mean spacing of all: compare halos of such a snapshot with care",
      least, most);
}

HaloCatalogue find_halos(const ParticleSystem& system, const DomainMap& domains, const CosmologyParameters& cosmology,
                         const HaloOptions& options, const Communicator& comm) {
  require_halos(system);
  const ParticleStore& particles = system.particles;
  const FriendsOptions friends{options.linking * system.spacing, period_of(system)};
  HaloCatalogue catalogue;
  catalogue.members = select_groups(friends_of_friends(particles.position, particles.id, domains, friends, comm),
                                    options.min_particles, comm);
  const PotentialOf potential = whole_potential(system, cosmology, comm);
  const std::vector<PieceOfHalo> pieces = describe_groups(catalogue.members, system, potential, comm);
  catalogue.mass.reserve(pieces.size());
  catalogue.halos.reserve(pieces.size());
  for (const PieceOfHalo& piece : pieces) {
    catalogue.mass.push_back(piece.halo.mass);
    if (piece.here) catalogue.halos.push_back(piece.halo);
  }
  measure_spheres(catalogue.halos, system, domains, Expansion(cosmology), comm);
  const auto before = [](const Halo& a, const Halo& b) { return a.mass != b.mass ? a.mass > b.mass : a.id < b.id; };
  catalogue.halos = sort_over_ranks(std::move(catalogue.halos), before, comm);
  return catalogue;
}

Halo halo_at(std::span<const Halo> mine, std::uint64_t place, const Communicator& comm) {
  const std::uint64_t before = comm.sum_before(mine.size()), all = comm.sum(static_cast<std::uint64_t>(mine.size()));
  if (place >= all)
    throw SharedError("there is no halo " + std::to_string(place) + ": there are " + std::to_string(all) +
                      " halos, from 0 on");
  const bool here = place >= before && place < before + mine.size();
  const int owner = comm.max(here ? comm.rank() : -1);
  Halo halo = here ? mine[place - before] : Halo();
  comm.broadcast(std::span<Halo>(&halo, 1), owner);
  return halo;
}

}  // namespace multiwalk
