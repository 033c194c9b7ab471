// SPDX-License-Identifier: GPL-3.0-or-later
// The domains of a run: cuts and migration once per step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "decomposition/domains/kept_exchange.hpp"
#include "decomposition/domains/multisection.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/motion/particles.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// The result of distributing particles over ranks. Imbalance: maximum of a rank / mean, 1 if there are no particles.
struct Distribution {
  std::uint64_t moved = 0;    ///< particles of all ranks that moved to another rank
  double work_imbalance = 1;  ///< from every k-th particle if a rank has more than the sample of the cuts
  double particle_imbalance = 1;
};

class Domains {
 public:
  Domains(Communicator comm, const MultisectionOptions& options) : comm_(std::move(comm)), options_(options) {}

  /// Makes new cuts from particles.work (if all zero, from numbers), then moves every particle to its owner.
  /// Collective. Throws the errors of multisection and migrate.
  Distribution distribute(ParticleStore& particles);
  /// Moves particles that have left their domain to the ranks that now own them, by the current cuts or, if there are
  /// none, by new ones. Collective.
  void return_strays(ParticleStore& particles);
  /// Does the same to particles in host memory or on devices, if all ranks have them in the same kind of place. Returns
  /// false on all ranks if a device had no room to sort the particles that left: all are then in host memory.
  /// Collective.
  bool return_strays(Particles& particles);
  bool return_strays(const Particles::Location& particles);
  /// The current cuts; none before the first distribution.
  [[nodiscard]] const std::optional<DomainMap>& map() const { return map_; }
  /// Continues with the cuts of a checkpoint, or ignores them if they are for another number of ranks. Throws
  /// InputError if they are damaged.
  void restore(DomainMap map);

 private:
  Communicator comm_;
  MultisectionOptions options_;
  std::optional<DomainMap> map_;
  std::unique_ptr<KeptExchange> kept_;
};

}  // namespace multiwalk
