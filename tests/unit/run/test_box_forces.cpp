// Presets of forces in periodic boxes: what they choose, and total errors against Ewald summation.
#include <gtest/gtest.h>

#include "analysis/force_error.hpp"
#include "decomposition/long_range_mesh.hpp"
#include "host/base/error.hpp"
#include "host/force/gravity_solver.hpp"
#include "host/force/simd_backend.hpp"
#include "ic/model.hpp"
#include "run/box_forces.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_models.hpp"

namespace multiwalk {
namespace {

ForceError error_of(ParticleStore particles, double side, Accuracy accuracy) {
  const BoxForces forces = resolve_box_forces({accuracy}, GravityOptions{}, particles.size(), side);
  const auto backend = make_simd_backend();
  const double softening = 0.04 * side / std::cbrt(static_cast<double>(particles.size()));
  const PairLaw law{1, softening, forces.walks.multipole, side, forces.split};
  LongRangeMesh mesh(forces.mesh, *backend);
  GravitySolver(forces.walks, *backend).accelerate(particles, law, 0, nullptr, &mesh);
  return measure_force_error(particles, law, 300);
}

ParticleStore early_box() {
  ModelOptions model;
  model.kind = ModelKind::box;
  model.box_size = 25;
  IcOptions ic;
  ic.grid = 32;
  ic.z_start = 49;
  return std::move(make_model(model, ic, CosmologyParameters{}).particles);
}

struct Case {
  const char* name;
  Accuracy accuracy;
  double median, p99;
};

class BoxForceErrors : public testing::TestWithParam<Case> {};

TEST_P(BoxForceErrors, AreWithinThePresets) {
  const Case c = GetParam();
  const ForceError early = error_of(early_box(), 25, c.accuracy);
  EXPECT_LT(early.of_rms.median, c.median);
  EXPECT_LT(early.of_rms.p99, c.p99);
  const ForceError clustered = error_of(test::clusters_at_faces(30000), 1, c.accuracy);
  EXPECT_LT(clustered.total.median, c.median);
  EXPECT_LT(clustered.total.p99, c.p99);
  std::printf("z = 49: median %.2e, 99%% %.2e of the rms; clustered: %.2e, %.2e\n", early.of_rms.median,
              early.of_rms.p99, clustered.total.median, clustered.total.p99);
}

INSTANTIATE_TEST_SUITE_P(Presets, BoxForceErrors,
                         testing::Values(Case{"fast", Accuracy::fast, 5e-3, 1e-2},
                                         Case{"standard", Accuracy::standard, 3e-4, 2e-3},
                                         Case{"reference", Accuracy::reference, 2e-5, 2e-4}),
                         [](const auto& preset) { return std::string(preset.param.name); });

TEST(BoxForces, MeshesGrowWithTheParticlesAndFitTheCutOff) {
  const GravityOptions walks;
  EXPECT_EQ(resolve_box_forces({Accuracy::fast}, walks, 64 * 64 * 64, 10).mesh.cells, 64U);
  EXPECT_EQ(resolve_box_forces({Accuracy::reference}, walks, 64 * 64 * 64, 10).mesh.cells, 108U);
  for (const std::uint64_t particles : {1U, 8U, 1000U}) {
    const BoxForces few = resolve_box_forces({}, walks, particles, 10);
    EXPECT_LE(few.split.cutoff, 0.3125 * 10);
    EXPECT_NEAR(few.split.cutoff / few.split.scale, 6.3, 1e-12);
  }
}

TEST(BoxForces, WhatIsGivenIsTaken) {
  GravityOptions walks;
  walks.mac = Mac::barnes90;
  const BoxForces given = resolve_box_forces({Accuracy::custom, 40, 1.5, 5}, walks, 1000, 8);
  EXPECT_EQ(given.mesh.cells, 40U);
  EXPECT_DOUBLE_EQ(given.split.scale, 1.5 * 8 / 40);
  EXPECT_DOUBLE_EQ(given.split.cutoff, 5 * 1.5 * 8 / 40);
  EXPECT_EQ(given.walks.mac, Mac::barnes90);
  EXPECT_EQ(resolve_box_forces({Accuracy::fast}, walks, 1000, 8).walks.mac, Mac::relative);
  EXPECT_THROW(resolve_box_forces({Accuracy::custom, 20, 1.5, 5}, walks, 1000, 8), InputError);
}

}  // namespace
}  // namespace multiwalk
