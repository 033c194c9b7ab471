// SPDX-License-Identifier: GPL-3.0-or-later
// Moves particles that devices keep to the ranks that own their positions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/domains/domain_map.hpp"
#include "decomposition/domains/migrate.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/base/large_memory.hpp"
#include "host/motion/particles.hpp"

namespace multiwalk {

/// Devices pack the particles that leave. Where possible, the devices of one host read what the others have packed;
/// otherwise the particles travel through host memory. In the stores of the hosts only ids and masses move, as migrate
/// moves them.
class KeptExchange {
 public:
  /// Collective.
  explicit KeptExchange(const Communicator& comm)
      : comm_(comm), on_one_host_(comm.all(comm.on_this_host().size() == comm.size())) {}

  /// A device must have the particles. If a rank's device has no room to sort those that leave, the
  /// particles of all ranks are copied home, are no longer kept, and migrate; it then returns false on all ranks.
  /// Collective. Throws SharedError if a position is not finite, InputError if this rank would own too many particles,
  /// Error if ids were lost or duplicated, which is checked as in migrate.
  bool run(const DomainMap& domains, const Particles::Location& location);

 private:
  struct Identity {
    std::uint64_t id;
    float mass;
  };
  /// The message that a rank sends to each rank before any particle moves.
  struct Note {
    bool fit = true;            ///< false: the sender's device has no room to sort its strays
    IdSum ids{};                ///< of the particles for it
    std::uint64_t nowhere = 0;  ///< particles of the sender that no rank owns
    std::uint64_t offset = 0;   ///< bytes from the address to the first particle for it
    StrayAddress address{};
  };

  /// Reads the ids and masses of those that leave; returns (ranks) the notes for this rank.
  [[nodiscard]] std::vector<Note> announce(const PackedStrays& packed, const ParticleStore& particles);
  void refuse_nowhere(const PackedStrays& packed, const Particles::Location& location) const;
  void agree_on_reading(std::span<const Note> incoming, const Particles::Location& location);
  void move(const PackedStrays& packed, std::span<const Note> incoming, const Particles::Location& location);
  /// Begins to receive and then to send particles of `each` elements.
  template <class T>
  void begin(std::span<const T> out, std::span<T> in, std::size_t each, int tag);
  /// Waits for all transfers that have begun.
  void finish();
  /// Writes the ids and masses of arrivals to the store.
  void take_identities(const StoreChange& change, std::span<const Note> incoming, ParticleStore& particles) const;

  Communicator comm_;
  bool on_one_host_;
  bool direct_ = false;                  ///< all ranks can read what the others have packed
  std::vector<StrayAddress> opened_;     ///< (ranks) the addresses for which direct_ is known
  std::vector<std::uint64_t> out_, in_;  ///< (ranks + 1) each rank's first among those that leave and arrive
  LargeArray<Identity> leaving_, arriving_;
  std::vector<Transfer> transfers_;
};

}  // namespace multiwalk
