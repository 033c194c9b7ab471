// The mesh's part of split forces, for the gravity solver.
#pragma once

#include <vector>

#include "decomposition/mesh_force.hpp"
#include "host/force/long_range.hpp"

namespace multiwalk {

/// Takes box and scale of the split from the law, the rest from the options. 16 bytes a particle of working memory.
class LongRangeMesh final : public LongRangeForce {
 public:
  LongRangeMesh(const MeshForceOptions& options, const Communicator& comm = {}) : options_(options), comm_(comm) {}

  void add(ParticleStore& particles, const PairLaw& law) override;

 private:
  MeshForceOptions options_;
  Communicator comm_;
  std::vector<Vec3f> acceleration_;
  std::vector<float> potential_;
};

}  // namespace multiwalk
