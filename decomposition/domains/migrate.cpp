// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/domains/migrate.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/hash.hpp"
#include "host/base/large_memory.hpp"
#include "host/domains/strays.hpp"
#include "host/text/plain_number.hpp"

namespace multiwalk {

namespace {

constexpr int migration_tag = 1201;
constexpr std::size_t few = 4096;  ///< particles that one thread handles as fast as all do

struct Leaver {
  std::uint32_t index;
  std::uint32_t rank;  ///< the destination
};

/// The particles outside the domain, by rising index.
std::vector<std::uint32_t> find_strays(const Box& domain, const ParticleStore& particles) {
  const std::size_t n = particles.size();
  if (n > most_particles_of_a_rank)
    throw InputError(std::to_string(n) + " particles start on one rank, but 2^32 - 1 is the limit: use more ranks");
  std::vector<std::vector<std::uint32_t>> found(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    std::vector<std::uint32_t>& mine = found[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i)
      if (!lies_in(domain, particles.position[i])) mine.push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> strays;
  for (const std::vector<std::uint32_t>& part : found) strays.insert(strays.end(), part.begin(), part.end());
  return strays;
}

/// The strays that another rank owns, in their order.
std::vector<Leaver> find_leavers(const DomainMap& domains, std::uint32_t rank, const ParticleStore& particles,
                                 std::span<const std::uint32_t> strays) {
  std::vector<Leaver> leavers(strays.size());
  std::size_t bad = particles.size();
#pragma omp parallel for schedule(static) reduction(min : bad) if (strays.size() > few)
  for (std::size_t j = 0; j < strays.size(); ++j) {
    const Vec3d p = particles.position[strays[j]];
    if (!is_finite(p)) bad = std::min<std::size_t>(bad, strays[j]);
    leavers[j] = {strays[j], static_cast<std::uint32_t>(domains.rank_of(p))};
  }
  if (bad < particles.size()) refuse_position(particles.id[bad], particles.position[bad]);
  std::erase_if(leavers, [rank](const Leaver& leaver) { return leaver.rank == rank; });
  return leavers;
}

/// Particles as bytes: one block per rank, and in each block one array after the other.
class Parcel {
 public:
  /// `store` says which arrays particles have.
  Parcel(const ParticleStore& store, std::vector<std::uint64_t> count)
      : count_(std::move(count)), first_(count_.size() + 1, 0) {
    std::partial_sum(count_.begin(), count_.end(), first_.begin() + 1);
    store.for_each_array([&]<class T>(const char*, const ParticleArray<T>&) { particle_bytes_ += sizeof(T); });
    bytes_.resize(first_.back() * particle_bytes_);
  }

  [[nodiscard]] std::uint64_t particles() const { return first_.back(); }
  [[nodiscard]] std::span<std::byte> block(std::size_t rank) {
    return std::span(bytes_).subspan(first_[rank] * particle_bytes_, count_[rank] * particle_bytes_);
  }

  /// `leavers`: sorted by rank.
  void pack(const ParticleStore& particles, std::span<const Leaver> leavers) {
#pragma omp parallel if (leavers.size() > few)
    {
      std::size_t before = 0;
      particles.for_each_array([&]<class T>(const char*, const ParticleArray<T>& values) {
#pragma omp for schedule(static) nowait
        for (std::size_t j = 0; j < leavers.size(); ++j) {
          const std::size_t rank = leavers[j].rank;
          std::byte* array = bytes_.data() + first_[rank] * particle_bytes_ + count_[rank] * before;
          std::memcpy(array + (j - first_[rank]) * sizeof(T), &values[leavers[j].index], sizeof(T));
        }
        before += sizeof(T);
      });
    }
  }

  /// Particle j, by rank, becomes element place(j).
  template <class Place>
  void unpack(ParticleStore& particles, Place place) {
#pragma omp parallel if (first_.back() > few)
    {
      std::size_t before = 0;
      particles.for_each_array([&]<class T>(const char*, ParticleArray<T>& values) {
        for (std::size_t rank = 0; rank < count_.size(); ++rank) {
          const std::byte* array = bytes_.data() + first_[rank] * particle_bytes_ + count_[rank] * before;
#pragma omp for schedule(static) nowait
          for (std::uint64_t j = 0; j < count_[rank]; ++j)
            std::memcpy(&values[place(first_[rank] + j)], array + j * sizeof(T), sizeof(T));
        }
        before += sizeof(T);
      });
    }
  }

 private:
  std::vector<std::uint64_t> count_, first_;
  std::size_t particle_bytes_ = 0;
  LargeArray<std::byte> bytes_;
};

/// Stable.
std::vector<Leaver> sort_by_rank(std::span<const Leaver> leavers, std::span<const std::uint64_t> count) {
  std::vector<std::uint64_t> next(count.size(), 0);
  std::exclusive_scan(count.begin(), count.end(), next.begin(), std::uint64_t{0});
  std::vector<Leaver> sorted(leavers.size());
  for (const Leaver& leaver : leavers) sorted[next[leaver.rank]++] = leaver;
  return sorted;
}

/// Starts to receive, then to send. Ranks that have nothing to exchange send no messages to each other.
std::vector<Transfer> begin_exchange(const Communicator& comm, Parcel& outgoing, Parcel& incoming) {
  std::vector<Transfer> transfers;
  const int ranks = comm.size();
  for (int step = 1; step < ranks; ++step) {
    const int from = (comm.rank() + ranks - step) % ranks;
    const std::span<std::byte> block = incoming.block(static_cast<std::size_t>(from));
    if (!block.empty()) transfers.push_back(comm.receive(block, from, migration_tag));
  }
  for (int step = 1; step < ranks; ++step) {
    const int to = (comm.rank() + step) % ranks;
    const std::span<const std::byte> block = outgoing.block(static_cast<std::size_t>(to));
    if (!block.empty()) transfers.push_back(comm.send(block, to, migration_tag));
  }
  return transfers;
}

/// The last of the particles that stay become the elements `to`.
void close_up(ParticleStore& particles, std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
  particles.for_each_array([&](const char*, auto& values) {
#pragma omp parallel for schedule(static) if (to.size() > few)
    for (std::size_t k = 0; k < to.size(); ++k) values[to[k]] = values[from[k]];
  });
}

/// Fingerprint of the ids of these particles.
IdSum sum_some(const ParticleStore& particles, std::span<const std::uint32_t> indices) {
  std::uint64_t sum = 0, mixed = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum, mixed) if (indices.size() > few)
  for (std::size_t j = 0; j < indices.size(); ++j) {
    const std::uint64_t id = particles.id[indices[j]];
    sum += id;
    mixed += mix_bits(id);
  }
  return {indices.size(), sum, mixed};
}

/// Checks that the fingerprints of all that left and all that arrived, summed over ranks, are equal. Collective.
void check_ids(const Communicator& comm, const IdSum& left, const IdSum& come) {
  std::array<std::uint64_t, 6> all{left.count, left.sum, left.mixed, come.count, come.sum, come.mixed};
  comm.sum(std::span<std::uint64_t>(all));
  require(all[0] == all[3] && all[1] == all[4] && all[2] == all[5], "migrate: ids were lost or duplicated");
}

void exchange_leavers(const Communicator& comm, std::span<const Leaver> leavers, ParticleStore& particles,
                      std::uint64_t most) {
  std::vector<std::uint64_t> count(static_cast<std::size_t>(comm.size()), 0);
  for (const Leaver& leaver : leavers) ++count[leaver.rank];
  Parcel incoming(particles, comm.exchange_counts(count));
  Parcel outgoing(particles, count);
  const std::size_t after = particles.size() - leavers.size() + incoming.particles();
  const StoreChange change = collectively(comm, [&] {
    std::vector<std::uint32_t> leaving(leavers.size());
    std::ranges::transform(leavers, leaving.begin(), &Leaver::index);
    if (after <= most) return plan_exchange(leaving, incoming.particles(), particles.size());
    throw InputError("rank " + std::to_string(comm.rank()) + " would own " + std::to_string(after) +
                     " particles, but a rank holds at most " + std::to_string(most) + ": use more ranks");
  });
  outgoing.pack(particles, sort_by_rank(leavers, count));
  std::vector<Transfer> transfers = begin_exchange(comm, outgoing, incoming);
  const IdSum left = sum_some(particles, change.left);
  close_up(particles, change.moved_from, change.moved_to);
  particles.resize_tightly(after);
  for (Transfer& transfer : transfers) transfer.wait();
  incoming.unpack(particles, [&](std::size_t j) { return change.arrived[j]; });
  check_ids(comm, left, sum_some(particles, change.arrived));
}

/// Returns how many left this rank. Collective.
std::uint64_t move_leavers(const Communicator& comm, std::span<const Leaver> leavers, ParticleStore& particles,
                           std::uint64_t most) {
  std::array<int, 2> any{leavers.empty() ? 0 : 1, particles.has_rungs() ? 1 : 0};
  comm.max(std::span<int>(any));
  particles.set_rungs(any[1] != 0);
  if (any[0] == 0) return 0;
  const bool one_by_one = checks_each_id();
  const std::vector<std::uint64_t> ids = one_by_one ? ids_by_hash(comm, particles) : std::vector<std::uint64_t>();
  exchange_leavers(comm, leavers, particles, most);
  require(!one_by_one || ids_by_hash(comm, particles) == ids, "migrate: an id was lost or duplicated");
  return leavers.size();
}

}  // namespace

bool checks_each_id() {
  bool debug = false;
  [[maybe_unused]] const auto note = [&] { return debug = true; };
  assert(note());
  return debug;
}

void refuse_position(std::uint64_t id, Vec3d p) {
  throw InputError("the particle with id " + std::to_string(id) + " is at (" + text_of(p.x) + ", " + text_of(p.y) +
                   ", " + text_of(p.z) + "): check the initial conditions, or take smaller steps");
}

std::vector<std::uint64_t> ids_by_hash(const Communicator& comm, const ParticleStore& particles) {
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  ParticleArray<std::uint64_t> sorted = particles.id;
  const auto home = [&](std::uint64_t id) { return mix_bits(id) % ranks; };
  std::ranges::sort(sorted, {}, home);
  std::vector<std::uint64_t> count(ranks, 0);
  for (const std::uint64_t id : sorted) ++count[home(id)];
  std::vector<std::uint64_t> own =
      comm.exchange(std::span<const std::uint64_t>(sorted), std::span<const std::uint64_t>(count)).data;
  std::ranges::sort(own);
  return own;
}

std::uint64_t migrate(const Communicator& comm, const DomainMap& domains, ParticleStore& particles,
                      std::uint64_t most) {
  require(domains.ranks() == comm.size(), "migrate: one domain per rank");
  const std::vector<Leaver> leavers = collectively(comm, [&] {
    const std::vector<std::uint32_t> strays = find_strays(domains.box(comm.rank()), particles);
    return find_leavers(domains, static_cast<std::uint32_t>(comm.rank()), particles, strays);
  });
  return move_leavers(comm, leavers, particles, most);
}

}  // namespace multiwalk
