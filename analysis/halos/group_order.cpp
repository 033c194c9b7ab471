// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/group_order.hpp"

#include <cstddef>
#include <limits>

#include "analysis/sums/sample_sort.hpp"

namespace multiwalk {

namespace {

/// A particle's place in the order: by halo, then by id; those without a halo come last.
struct Place {
  double group_mass = 0;
  std::uint64_t group = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t id = 0;
};

bool before(const Place& a, const Place& b) {
  if (a.group_mass != b.group_mass) return a.group_mass > b.group_mass;
  return a.group != b.group ? a.group < b.group : a.id < b.id;
}

struct Traveller {
  Place place;
  Vec3d position;
  Vec3f velocity, acceleration;
  float mass, potential;
};

template <class Act>
void for_each_member(const HaloCatalogue& catalogue, Act act) {
  for (std::size_t piece = 0; piece < catalogue.members.size(); ++piece)
    for (const std::uint32_t i : catalogue.members.of(piece))
      act(i, Place{catalogue.mass[piece], catalogue.members.group[piece], 0});
}

}  // namespace

std::vector<std::uint64_t> member_ids(const HaloCatalogue& catalogue, std::span<const std::uint64_t> id,
                                      const Communicator& comm) {
  std::vector<Place> places;
  places.reserve(catalogue.members.member.size());
  for_each_member(catalogue, [&](std::uint32_t i, Place place) {
    place.id = id[i];
    places.push_back(place);
  });
  places = sort_over_ranks(std::move(places), before, comm);
  std::vector<std::uint64_t> ids(places.size());
  std::ranges::transform(places, ids.begin(), &Place::id);
  return ids;
}

ParticleStore particles_by_group(const HaloCatalogue& catalogue, const ParticleStore& particles,
                                 const Communicator& comm) {
  std::vector<Traveller> travellers(particles.size());
  for_each_member(catalogue, [&](std::uint32_t i, const Place& place) { travellers[i].place = place; });
  for (std::size_t i = 0; i < travellers.size(); ++i) {
    Traveller& t = travellers[i];
    t.place.id = particles.id[i];
    t.position = particles.position[i];
    t.velocity = particles.velocity[i];
    if (!particles.acceleration.empty()) t.acceleration = particles.acceleration[i];
    t.mass = particles.mass[i];
    t.potential = particles.potential[i];
  }
  travellers = sort_over_ranks(
      std::move(travellers), [](const Traveller& a, const Traveller& b) { return before(a.place, b.place); }, comm);
  ParticleStore ordered;
  ordered.position.resize(travellers.size());
  ordered.velocity.resize(travellers.size());
  ordered.acceleration.resize(travellers.size());
  ordered.mass.resize(travellers.size());
  ordered.id.resize(travellers.size());
  ordered.potential.resize(travellers.size());
  for (std::size_t i = 0; i < travellers.size(); ++i) {
    const Traveller& t = travellers[i];
    ordered.position[i] = t.position;
    ordered.velocity[i] = t.velocity;
    ordered.acceleration[i] = t.acceleration;
    ordered.mass[i] = t.mass;
    ordered.id[i] = t.place.id;
    ordered.potential[i] = t.potential;
  }
  return ordered;
}

}  // namespace multiwalk
