// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/domains/kept_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "decomposition/domains/migrate.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/hash.hpp"

namespace multiwalk {

namespace {

constexpr int identity_tag = 1202, packed_tag = 1203;
constexpr std::size_t few_travelling = 4096;  // up to this number, one thread is as fast as all

/// Calls id_of(k) for every k below first.back(), by all threads; returns the fingerprint of each rank's ids.
template <class IdOf>
std::vector<IdSum> sum_by_rank(std::span<const std::uint64_t> first, const IdOf& id_of) {
  const std::size_t ranks = first.size() - 1, n = first.back();
  std::vector<IdSum> sums(ranks);
#pragma omp parallel if (n > few_travelling)
  {
    std::vector<IdSum> mine(ranks);
    std::size_t rank = 0;
#pragma omp for schedule(static) nowait
    for (std::size_t k = 0; k < n; ++k) {
      while (k >= first[rank + 1]) ++rank;
      const std::uint64_t id = id_of(k);
      IdSum& sum = mine[rank];
      sum = {sum.count + 1, sum.sum + id, sum.mixed + mix_bits(id)};
    }
#pragma omp critical
    for (std::size_t r = 0; r < ranks; ++r) {
      sums[r] = {sums[r].count + mine[r].count, sums[r].sum + mine[r].sum, sums[r].mixed + mine[r].mixed};
    }
  }
  return sums;
}

}  // namespace

std::vector<KeptExchange::Note> KeptExchange::announce(const PackedStrays& packed, const ParticleStore& particles) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  if (!packed.fit) return comm_.exchange_each(std::span<const Note>(std::vector<Note>(ranks, Note{.fit = false})));
  out_.assign(packed.first.begin(), packed.first.begin() + static_cast<std::ptrdiff_t>(ranks + 1));
  leaving_.resize(out_.back());
  const std::vector<IdSum> sums = sum_by_rank(out_, [&](std::size_t k) {
    const std::uint32_t i = packed.by_rank[k];
    leaving_[k] = {particles.id[i], particles.mass[i]};
    return leaving_[k].id;
  });
  std::vector<Note> notes(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    notes[r] = {true, sums[r], packed.first[ranks + 1] - packed.first[ranks], packed.offset + out_[r] * packed.each,
                packed.address};
  }
  return comm_.exchange_each(std::span<const Note>(notes));
}

void KeptExchange::refuse_nowhere(const PackedStrays& packed, const Particles::Location& location) const {
  collectively(comm_, [&] {
    const std::size_t k = packed.first[static_cast<std::size_t>(comm_.size())];
    if (k == packed.by_rank.size()) return;
    Vec3d position;
    std::memcpy(&position, location.keeper->strays_through_host(0).leaving.subspan(k * packed.each).data(),
                sizeof position);
    refuse_position(location.store.id[packed.by_rank[k]], position);
  });
}

void KeptExchange::agree_on_reading(std::span<const Note> incoming, const Particles::Location& location) {
  std::vector<StrayAddress> addresses;
  for (const Note& note : incoming) addresses.push_back(note.address);
  if (addresses == opened_) return;
  opened_ = std::move(addresses);
  direct_ = comm_.all(on_one_host_ && location.keeper->open_strays(opened_, static_cast<std::size_t>(comm_.rank())));
}

template <class T>
void KeptExchange::begin(std::span<const T> out, std::span<T> in, std::size_t each, int tag) {
  const auto part = [each](auto all, const std::vector<std::uint64_t>& first, int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return all.subspan(first[r] * each, (first[r + 1] - first[r]) * each);
  };
  const int ranks = comm_.size();
  for (int step = 1; step < ranks; ++step) {
    const int from = (comm_.rank() + ranks - step) % ranks;
    const std::span<T> block = part(in, in_, from);
    if (!block.empty()) transfers_.push_back(comm_.receive(block, from, tag));
  }
  for (int step = 1; step < ranks; ++step) {
    const int to = (comm_.rank() + step) % ranks;
    const std::span<const T> block = part(out, out_, to);
    if (!block.empty()) transfers_.push_back(comm_.send(block, to, tag));
  }
}

void KeptExchange::finish() {
  for (Transfer& transfer : transfers_) transfer.wait();
  transfers_.clear();
}

void KeptExchange::take_identities(const StoreChange& change, std::span<const Note> incoming,
                                   ParticleStore& particles) const {
  const std::vector<IdSum> sums = sum_by_rank(in_, [&](std::size_t k) {
    const Identity& one = arriving_[k];
    const std::uint32_t i = change.arrived[k];
    particles.id[i] = one.id;
    particles.mass[i] = one.mass;
    return one.id;
  });
  for (std::size_t r = 0; r < incoming.size(); ++r) {
    require(sums[r] == incoming[r].ids, "exchange of kept particles: ids were lost or duplicated");
  }
}

void KeptExchange::move(const PackedStrays& packed, std::span<const Note> incoming,
                        const Particles::Location& location) {
  ParticleStore& particles = location.store;
  const StoreChange change = plan_exchange(packed.index, in_.back(), particles.size());
  arriving_.resize(in_.back());
  begin(std::span<const Identity>(leaving_), std::span<Identity>(arriving_), 1, identity_tag);
  if (!direct_) {
    const StrayMessages messages = location.keeper->strays_through_host(in_.back());
    begin(messages.leaving, messages.arriving, packed.each, packed_tag);
  }
  for (std::size_t k = 0; k < change.moved_from.size(); ++k) {
    particles.id[change.moved_to[k]] = particles.id[change.moved_from[k]];
    particles.mass[change.moved_to[k]] = particles.mass[change.moved_from[k]];
  }
  particles.resize_tightly(change.after);
  std::vector<StrayBlock> blocks;
  for (std::size_t r = 0; direct_ && r < incoming.size(); ++r) {
    if (incoming[r].ids.count > 0) blocks.push_back({r, incoming[r].offset, incoming[r].ids.count});
  }
  if (!direct_) finish();
  location.keeper->follow_exchange(change, blocks);
  finish();
  take_identities(change, incoming, particles);
}

bool KeptExchange::run(const DomainMap& domains, const Particles::Location& location) {
  ParticleStore& particles = location.store;
  ParticleKeeper& keeper = *location.keeper;
  require(domains.ranks() == comm_.size(), "exchange of kept particles: there must be one domain per rank");
  const PackedStrays packed =
      keeper.pack_strays(domains.box(comm_.rank()), domains.cuts(), on_one_host_ && !comm_.alone());
  const std::vector<Note> incoming = announce(packed, particles);
  if (!std::ranges::all_of(incoming, &Note::fit)) {
    keeper.copy_home(Copied::all);
    keeper.forget();
    migrate(comm_, domains, particles);
    return false;
  }
  if (std::ranges::any_of(incoming, [](const Note& note) { return note.nowhere > 0; })) {
    refuse_nowhere(packed, location);
  }
  agree_on_reading(incoming, location);
  in_.assign(1, 0);
  for (const Note& note : incoming) in_.push_back(in_.back() + note.ids.count);
  const std::uint64_t after = particles.size() - packed.index.size() + in_.back();
  if (after > most_particles_of_a_rank) {
    throw InputError("rank " + std::to_string(comm_.rank()) + " would own " + std::to_string(after) +
                     " particles, but a rank holds at most " + std::to_string(most_particles_of_a_rank) +
                     ": use more ranks");
  }
  const bool any = out_.back() + in_.back() > 0, one_by_one = checks_each_id() && comm_.any(any);
  const std::vector<std::uint64_t> ids = one_by_one ? ids_by_hash(comm_, particles) : std::vector<std::uint64_t>();
  if (any) move(packed, incoming, location);
  require(!one_by_one || ids_by_hash(comm_, particles) == ids, "exchange of kept particles: an id was lost");
  return true;
}

}  // namespace multiwalk
