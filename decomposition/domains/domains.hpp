// SPDX-License-Identifier: GPL-3.0-or-later
// The domains of a run: cuts and migration once a step.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "decomposition/domains/multisection.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// What a distribution of the particles over ranks did. Imbalance: most of a rank / mean, 1 if there is none.
struct Distribution {
  std::uint64_t moved = 0;    ///< particles of all ranks that changed the rank
  double work_imbalance = 1;  ///< by every k-th particle of a rank that has more than the sample of the cuts
  double particle_imbalance = 1;
};

class Domains {
 public:
  Domains(Communicator comm, const MultisectionOptions& options) : comm_(std::move(comm)), options_(options) {}

  /// New cuts by particles.work (all zero: by number), then every particle moves to its owner. Collective. Throws what
  /// multisection and migrate throw.
  Distribution distribute(ParticleStore& particles);
  /// Particles that left their domain move to its owner, by the cuts in force, or if there are none by new ones.
  /// Collective.
  void return_strays(ParticleStore& particles);
  /// The cuts in force; none before the first distribution.
  [[nodiscard]] const std::optional<DomainMap>& map() const { return map_; }
  /// Goes on from the cuts of a checkpoint; those of another number of ranks are forgotten. Throws InputError if they
  /// are damaged.
  void restore(DomainMap map);

 private:
  Communicator comm_;
  MultisectionOptions options_;
  std::optional<DomainMap> map_;
};

}  // namespace multiwalk
