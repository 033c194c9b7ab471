#include "analysis/halo_finder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "analysis/friends_of_friends.hpp"
#include "analysis/group_members.hpp"
#include "analysis/spherical_overdensity.hpp"
#include "decomposition/agree.hpp"
#include "decomposition/migrate.hpp"
#include "decomposition/multisection.hpp"

namespace multiwalk {

namespace {

bool before(const Halo& a, const Halo& b) {
  return a.mass != b.mass ? a.mass > b.mass : a.id < b.id;
}

/// Sorts over ranks by sample: like a bucket sort whose buckets are ranks.
std::vector<Halo> sort_over_ranks(std::vector<Halo> halos, const Communicator& comm) {
  std::ranges::sort(halos, before);
  if (comm.alone()) return halos;
  constexpr std::size_t sampled = 64;
  std::vector<Halo> sample;
  for (std::size_t s = 0; s < std::min(sampled, halos.size()); ++s)
    sample.push_back(halos[halos.size() * s / std::min(sampled, halos.size())]);
  sample = comm.gather(std::span<const Halo>(sample));
  std::ranges::sort(sample, before);
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<Halo> splitter(ranks - 1);
  for (std::size_t r = 1; r < ranks && !sample.empty(); ++r) splitter[r - 1] = sample[sample.size() * r / ranks];
  comm.broadcast(std::span<Halo>(splitter));
  std::vector<std::uint64_t> count(ranks, 0);
  std::size_t rank = 0;
  for (const Halo& halo : halos) {
    while (rank + 1 < ranks && !before(halo, splitter[rank])) ++rank;
    ++count[rank];
  }
  halos = comm.exchange(std::span<const Halo>(halos), std::span<const std::uint64_t>(count)).data;
  std::ranges::sort(halos, before);
  return halos;
}

}  // namespace

std::vector<Halo> find_halos(ParticleSystem& system, const CosmologyParameters& cosmology, const HaloOptions& options,
                             const Communicator& comm) {
  if (system.frame != Frame::comoving) throw SharedError("halos need a comoving system: this one is Newtonian");
  if (!(system.spacing > 0)) throw SharedError("halos need the mean interparticle spacing, which is not known here");
  ParticleStore& particles = system.particles;
  const double period = system.boundary == Boundary::periodic ? system.box_size : 0;
  DomainMap domains;
  if (!comm.alone()) {
    domains = multisection(comm, comm.size(), particles.position, particles.work, {}, nullptr);
    migrate(comm, domains, particles);
  }
  std::vector<Halo> halos;
  {
    const std::vector<std::uint64_t> group =
        friends_of_friends(particles.position, particles.id, domains, {options.linking * system.spacing, period}, comm);
    const GroupMembers members = select_groups(group, options.min_particles, comm);
    for (const PieceOfHalo& piece : describe_groups(members, particles, system.time, period, comm))
      if (piece.here) halos.push_back(piece.halo);
  }
  const OverdensityThresholds thresholds = overdensity_thresholds(Expansion(cosmology), system.time);
  measure_spheres(halos, particles, domains, period, thresholds, comm);
  return sort_over_ranks(std::move(halos), comm);
}

}  // namespace multiwalk
