// SPDX-License-Identifier: GPL-3.0-or-later
// Total errors of the presets of forces in periodic boxes against Ewald summation.
#include <gtest/gtest.h>

#include "analysis/forces/force_error.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "ic/models/model.hpp"
#include "run/evolve/box_forces.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_models.hpp"

namespace multiwalk {
namespace {

/// Gives the particles, in the order of the tree, their forces.
ForceError error_of(ParticleStore& particles, double side, const BoxForceParameters& parameters, int expansion = 0) {
  GravityOptions options;
  options.expansion = expansion;
  const BoxForces forces = resolve_box_forces(parameters, options, particles.size(), side);
  const auto backend = make_simd_backend();
  const double softening = 0.04 * side / std::cbrt(static_cast<double>(particles.size()));
  const PairLaw law{1, softening, forces.walks.multipole, side, forces.split};
  GravitySolver(forces.walks, *backend)
      .accelerate(particles, law, {.long_range = make_long_range(forces, *backend).get()});
  return measure_force_error(particles, law, {300});
}

ParticleStore early_box(std::uint32_t grid) {
  ModelOptions model;
  model.kind = ModelKind::box;
  model.box_size = 25;
  IcOptions ic;
  ic.grid = grid;
  ic.z_start = 49;
  return std::move(make_model(model, ic, CosmologyParameters{}).particles);
}

/// Median and 99% that were seen: near z = 49, relative to the rms, and in clusters.
struct PresetCase {
  const char* name;
  Accuracy accuracy;
  double early[2], clustered[2];
  int expansion = 0;
};

class BoxForceErrors : public testing::TestWithParam<PresetCase> {};

TEST_P(BoxForceErrors, AreWithinThePresets) {
  const PresetCase c = GetParam();
  ParticleStore early_particles = early_box(32), clusters = test::clusters_at_faces(30000);
  const BoxForceParameters parameters{c.accuracy};
  const ForceError early = error_of(early_particles, 25, parameters, c.expansion);
  EXPECT_LT(early.of_rms.median, 3 * c.early[0]);
  EXPECT_LT(early.of_rms.p99, 3 * c.early[1]);
  const ForceError clustered = error_of(clusters, 1, parameters, c.expansion);
  EXPECT_LT(clustered.total.median, 3 * c.clustered[0]);
  EXPECT_LT(clustered.total.p99, 3 * c.clustered[1]);
  std::printf("z = 49: median %.2e, 99%% %.2e of the rms; clustered: %.2e, %.2e\n", early.of_rms.median,
              early.of_rms.p99, clustered.total.median, clustered.total.p99);
}

INSTANTIATE_TEST_SUITE_P(
    Presets, BoxForceErrors,
    testing::Values(PresetCase{"fast", Accuracy::fast, {3.1e-4, 1.2e-3}, {2.7e-4, 3.1e-3}},
                    PresetCase{"standard", Accuracy::standard, {8.8e-5, 2.8e-4}, {4.7e-5, 2.5e-4}},
                    PresetCase{"reference", Accuracy::reference, {2.5e-6, 7.2e-6}, {3e-6, 3.5e-5}},
                    PresetCase{"fast_expanded", Accuracy::fast, {3.1e-4, 1.2e-3}, {2.7e-4, 3.1e-3}, 5},
                    PresetCase{"standard_expanded", Accuracy::standard, {8.8e-5, 2.8e-4}, {4.7e-5, 2.5e-4}, 5},
                    PresetCase{"reference_expanded", Accuracy::reference, {2.5e-6, 7.2e-6}, {3e-6, 3.5e-5}, 5}),
    [](const auto& preset) { return std::string(preset.param.name); });

std::vector<Vec3f> forces_by_id(ParticleStore particles, double side, const BoxForceParameters& parameters) {
  error_of(particles, side, parameters);
  std::vector<Vec3f> by_id(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i) by_id[particles.id[i]] = particles.acceleration[i];
  return by_id;
}

/// If all forces are 1% too weak, power grows from z = 127 to 0 by about 6% too little.
TEST(BoxForces, AreNotTooWeakOnAverage) {
  const ParticleStore particles = early_box(32);
  const std::vector<Vec3f> exact = forces_by_id(particles, 25, {Accuracy::reference});
  const std::vector<Vec3f> fast = forces_by_id(particles, 25, {Accuracy::fast});
  double along = 0, square = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    along += dot(Vec3d(fast[i]), Vec3d(exact[i]));
    square += norm2(Vec3d(exact[i]));
  }
  EXPECT_NEAR(along / square, 1, 1.5e-4);
  std::printf("mean ratio of the forces of fast and reference, less 1: %.2e\n", along / square - 1);
}

}  // namespace
}  // namespace multiwalk
