// SPDX-License-Identifier: GPL-3.0-or-later
// Forces whose walks a device makes (Bedorf et al. 2012): it grows the tree, exchanges parts of it with other ranks'
// devices, walks and evaluates. The host waits.
#pragma once

#include "host/solver/evaluation.hpp"

namespace multiwalk {

class ResidentForces {
 public:
  /// The tools must outlive it.
  explicit ResidentForces(ForceTools& tools) : tools_(tools) {}

  /// Whether this rank's device can make an evaluation: it must keep the particles for forces on some of them, and on
  /// several ranks.
  [[nodiscard]] bool suits(const ForceContext& context, const ParticleStore& particles) const;
  /// Whether devices of several ranks (context.remote is there) can exchange trees, if they have all ranks' particles.
  [[nodiscard]] static bool may_share(const ForceContext& context) { return context.remote->exchange() != nullptr; }
  /// Makes the evaluation. False, on all ranks: it does not suit a device, or one lacks the memory; of several ranks
  /// all particles are in the stores then. Collective where there are other ranks.
  bool evaluate(Evaluation& evaluation);

 private:
  bool evaluate_all(Evaluation& evaluation);
  bool evaluate_active(Evaluation& evaluation);
  /// Grows the tree and exchanges parts of it with the devices of other ranks, if there are any. None, on all ranks: as
  /// in evaluate.
  std::optional<LocalTree> grow_and_share(Evaluation& evaluation);
  void walk(const LocalTree& own, Evaluation& evaluation);
  /// By the tree grown last. False if that is gone.
  bool walk_active(Evaluation& evaluation);
  [[nodiscard]] DeviceWalker* walker() const { return tools_.backend.device_walker(); }

  ForceTools& tools_;
};

}  // namespace multiwalk
