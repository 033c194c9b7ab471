// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh's part of split forces, for the gravity solver.
#pragma once

#include <optional>

#include "decomposition/essential_trees/tree_exchange_over_ranks.hpp"
#include "decomposition/mesh/mesh_force.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/force/force_backend.hpp"
#include "host/force/long_range.hpp"
#include "host/mesh/mesh_force_options.hpp"

namespace multiwalk {

/// Takes box and scale of the split from the law, the rest from the options. Devices do the work in single precision if
/// every rank has one, each with the memory for the whole mesh; else the hosts do, each a part of the mesh, in double
/// precision. Working memory: 16 bytes per particle.
class LongRangeMesh final : public LongRangeForce {
 public:
  /// The back end must outlive it. Throws Error if its device lacks a library for the mesh. Collective.
  LongRangeMesh(const MeshForceOptions& options, ForceBackend& backend, const Communicator& comm = {});

  void add(ParticleStore& particles, const PairLaw& law) override;
  bool add_on_device(ParticleStore& particles, const PairLaw& law) override;

 private:
  [[nodiscard]] MeshForceOptions options_for(const PairLaw& law) const;
  [[nodiscard]] TreeExchange* others() { return others_ ? &*others_ : nullptr; }

  MeshForceOptions options_;
  Communicator comm_;
  EssentialStatistics messages_;
  std::optional<TreeExchangeOverRanks> others_;  ///< none: this rank is alone
  MeshBackend* device_;                          ///< adds mesh forces if it can; null: some rank has none
  ParticleArray<Vec3f> acceleration_;
  ParticleArray<float> potential_;
};

}  // namespace multiwalk
