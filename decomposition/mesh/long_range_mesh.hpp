// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh's part of split forces, for the gravity solver.
#pragma once

#include "decomposition/mesh/mesh_force.hpp"
#include "host/force/long_range.hpp"

namespace multiwalk {

/// Takes box and scale of the split from the law, the rest from the options. On one rank the back end's device does the
/// work if it can, in single precision. Working memory: 16 bytes per particle.
class LongRangeMesh final : public LongRangeForce {
 public:
  /// The back end must outlive it. Throws Error if its device lacks a library for the mesh.
  LongRangeMesh(const MeshForceOptions& options, ForceBackend& backend, const Communicator& comm = {});

  void add(ParticleStore& particles, const PairLaw& law) override;
  [[nodiscard]] std::optional<MeshForceOptions> mesh_of(const PairLaw& law) const override;

 private:
  /// The device that adds mesh forces if it can; null if there is none or there are several ranks.
  [[nodiscard]] MeshBackend* device() const;
  [[nodiscard]] MeshForceOptions options_for(const PairLaw& law) const;

  MeshForceOptions options_;
  ForceBackend& backend_;
  Communicator comm_;
  ParticleArray<Vec3f> acceleration_;
  ParticleArray<float> potential_;
};

}  // namespace multiwalk
