// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/group_order.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include "analysis/sums/sample_sort.hpp"
#include "host/base/parallel_arrays.hpp"
#include "host/tree/octree.hpp"

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

/// This rank's part of the order.
struct LocalOrder {
  LargeArray<std::uint32_t> particle;  ///< indices
  LargeArray<std::uint32_t> piece;     ///< of GroupMembers, for each; only members

  [[nodiscard]] Place place(std::size_t k, const HaloCatalogue& catalogue, std::span<const std::uint64_t> id) const {
    if (k >= piece.size()) return {.id = id[particle[k]]};
    return {catalogue.mass[piece[k]], catalogue.members.group[piece[k]], id[particle[k]]};
  }
};

LocalOrder order_members(const HaloCatalogue& catalogue, std::span<const std::uint64_t> id) {
  const GroupMembers& members = catalogue.members;
  std::vector<std::uint32_t> pieces(members.size());
  std::iota(pieces.begin(), pieces.end(), std::uint32_t{0});
  sort_parallel(pieces, [&](std::uint32_t a, std::uint32_t b) {
    return before({catalogue.mass[a], members.group[a]}, {catalogue.mass[b], members.group[b]});
  });
  std::vector<std::size_t> first;
  std::size_t next = 0;
  for (const std::uint32_t piece : pieces) {
    first.push_back(next);
    next += members.of(piece).size();
  }
  LocalOrder order;
  order.particle.resize(next);
  order.piece.resize(next);
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::span<const std::uint32_t> of_piece = members.of(pieces[p]);
    const std::span<std::uint32_t> into = std::span(order.particle).subspan(first[p], of_piece.size());
    std::ranges::copy(of_piece, into.begin());
    std::ranges::sort(into, {}, [&](std::uint32_t i) { return id[i]; });
    std::ranges::fill(std::span(order.piece).subspan(first[p], of_piece.size()), pieces[p]);
  }
  return order;
}

/// Adds the particles that are no members.
void add_others(LocalOrder& order, std::span<const std::uint64_t> id) {
  const std::size_t members = order.particle.size();
  LargeArray<std::uint8_t> member(id.size());
  fill_parallel(std::span(member), std::uint8_t{0});
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < members; ++k) member[order.particle[k]] = 1;
  SortScratch sort;
  select_in_order(
      id.size(), [&](std::size_t i) { return member[i] == 0; },
      [&](std::size_t others) { sort.entries.resize(others); },
      [&](std::size_t place, std::size_t i) {
        sort.entries[place] = {id[i], static_cast<std::uint32_t>(i)};
      });
  sort_entries(sort);
  LargeArray<std::uint32_t> all(id.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = k < members ? order.particle[k] : sort.entries[k - members].index;
  order.particle.swap(all);
}

/// Particles of several ranks, each from the rank that has it to the rank where it belongs.
std::vector<Traveller> exchange_travellers(const LocalOrder& order, const HaloCatalogue& catalogue,
                                           const ParticleStore& particles, const Communicator& comm) {
  std::vector<Traveller> travellers(particles.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < travellers.size(); ++k) {
    const std::size_t i = order.particle[k];
    Traveller& t = travellers[k];
    t.place = order.place(k, catalogue, particles.id);
    t.position = particles.position[i];
    t.velocity = particles.velocity[i];
    if (!particles.acceleration.empty()) t.acceleration = particles.acceleration[i];
    t.mass = particles.mass[i];
    t.potential = particles.potential[i];
  }
  return merge_over_ranks(
      std::move(travellers), [](const Traveller& a, const Traveller& b) { return before(a.place, b.place); }, comm);
}

/// (n) with the arrays that particles_by_group fills.
ParticleStore make_store(std::size_t n) {
  ParticleStore store;
  store.position.resize(n);
  store.velocity.resize(n);
  store.acceleration.resize(n);
  store.mass.resize(n);
  store.id.resize(n);
  store.potential.resize(n);
  return store;
}

}  // namespace

std::vector<std::uint64_t> member_ids(const HaloCatalogue& catalogue, std::span<const std::uint64_t> id,
                                      const Communicator& comm) {
  const LocalOrder order = order_members(catalogue, id);
  if (comm.alone()) {
    std::vector<std::uint64_t> ids(order.particle.size());
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = id[order.particle[k]];
    return ids;
  }
  std::vector<Place> places(order.particle.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = order.place(k, catalogue, id);
  places = merge_over_ranks(std::move(places), before, comm);
  std::vector<std::uint64_t> ids(places.size());
  std::ranges::transform(places, ids.begin(), &Place::id);
  return ids;
}

ParticleStore particles_by_group(const HaloCatalogue& catalogue, const ParticleStore& particles,
                                 const Communicator& comm) {
  LocalOrder order = order_members(catalogue, particles.id);
  add_others(order, particles.id);
  if (comm.alone()) {
    ParticleStore ordered = make_store(particles.size());
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < ordered.size(); ++k) {
      const std::size_t i = order.particle[k];
      ordered.position[k] = particles.position[i];
      ordered.velocity[k] = particles.velocity[i];
      ordered.acceleration[k] = particles.acceleration.empty() ? Vec3f{} : particles.acceleration[i];
      ordered.mass[k] = particles.mass[i];
      ordered.id[k] = particles.id[i];
      ordered.potential[k] = particles.potential[i];
    }
    return ordered;
  }
  const std::vector<Traveller> travellers = exchange_travellers(order, catalogue, particles, comm);
  ParticleStore ordered = make_store(travellers.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < travellers.size(); ++k) {
    const Traveller& t = travellers[k];
    ordered.position[k] = t.position;
    ordered.velocity[k] = t.velocity;
    ordered.acceleration[k] = t.acceleration;
    ordered.mass[k] = t.mass;
    ordered.id[k] = t.place.id;
    ordered.potential[k] = t.potential;
  }
  return ordered;
}

}  // namespace multiwalk
