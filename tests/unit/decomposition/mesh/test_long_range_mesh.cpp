// SPDX-License-Identifier: GPL-3.0-or-later
// A device's library that is missing is known before there are particles.
#include <gtest/gtest.h>

#include "decomposition/mesh/long_range_mesh.hpp"
#include "host/base/error.hpp"
#include "host/force/backend_services.hpp"
#include "host/force/force_backend.hpp"

namespace multiwalk {
namespace {

/// Has a mesh, for splines of piecewise cubics alone, but not its library.
class LacksLibrary final : public ForceBackend, public MeshBackend {
 public:
  LacksLibrary() : ForceBackend({.name = "incomplete", .description = "for tests"}) {}

  [[nodiscard]] BackendServices services() override { return {.mesh = this}; }
  bool begin(const PairLaw&, const TreeView&, const TargetView&, int) override { return false; }
  WalkBatch& open(int) override { throw Error("no batches"); }
  void submit(int) override {}
  BackendTimes collect() override { return {}; }
  void require_libraries(const MeshForceOptions& options) override {
    if (options.assignment == Assignment::pcs) throw Error("no library");
  }
  bool add_mesh_force(ParticleStore&, const PairLaw&, const MeshForceOptions&, TreeExchange*) override { return false; }
};

TEST(LongRangeMesh, NeedsTheLibraryOfItsDevice) {
  LacksLibrary backend;
  MeshForceOptions options;
  options.assignment = Assignment::pcs;
  EXPECT_THROW(LongRangeMesh(options, backend), Error);
  options.assignment = Assignment::cic;
  EXPECT_NO_THROW(LongRangeMesh(options, backend));
}

}  // namespace
}  // namespace multiwalk
