// SPDX-License-Identifier: GPL-3.0-or-later
// Forces of boxes whose softening is a good part of the mean spacing, against an independent sum that softens all
// images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "host/base/units.hpp"
#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "run/evolve/simulation.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_pairs.hpp"

namespace multiwalk {
namespace {

constexpr std::size_t cube_particles = 216;  // 6^3: the box is six mean spacings wide
constexpr std::size_t targets = 12;

/// Ewald's sum for a unit mass in a box of side 1, and image by image what softening changes.
Vec3d pull_of_images(Vec3d d, double softening) {
  constexpr int shells = 7;  // what lies beyond is 5e-6 of a pull for softenings of a twelfth of the box
  const auto weight = [](double square) { return 1 / (square * std::sqrt(square)); };
  Vec3d sum = test_models::ewald_pair(d).acceleration;
  for (int x = -shells; x <= shells; ++x) {
    for (int y = -shells; y <= shells; ++y) {
      for (int z = -shells; z <= shells; ++z) {
        const Vec3d image = d + Vec3d{double(x), double(y), double(z)};
        const double r2 = norm2(image);
        if (r2 <= shells * shells) sum += image * (weight(r2 + softening * softening) - weight(r2));
      }
    }
  }
  return sum;
}

/// (targets) The pulls of all particles on the first ones, in a box of side 1 and without G.
std::vector<Vec3d> truth_about(const ParticleStore& store, double softening) {
  std::vector<Vec3d> pull(targets);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < targets; ++i) {
    for (std::size_t j = 0; j < store.size(); ++j) {
      if (j == i) continue;
      const Vec3d d = test_models::nearest_image(store.position[j] - store.position[i]);
      pull[i] += pull_of_images(d, softening) * static_cast<double>(store.mass[j]);
    }
  }
  return pull;
}

/// Median of the targets' relative errors; `unit`: that of the truth.
double median_error(const ParticleStore& store, const std::vector<Vec3d>& truth, double unit) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < store.size(); ++i) {
    if (store.id[i] >= targets) continue;
    const Vec3d exact = unit * truth[store.id[i]];
    errors.push_back(norm(Vec3d(store.acceleration[i]) - exact) / norm(exact));
  }
  std::ranges::nth_element(errors, errors.begin() + targets / 2);
  return errors[targets / 2];
}

ParticleStore softened_cube() {
  return test::uniform_cube(cube_particles, 5);
}

/// Of the presets, for a softening in units of the box.
class SoftenedForces {
 public:
  explicit SoftenedForces(double softening) : softening_(softening), truth_(truth_about(softened_cube(), softening)) {}

  [[nodiscard]] double error(const BoxForceParameters& parameters, int expansion = 0) const {
    ParticleStore store = softened_cube();
    GravityOptions options;
    options.expansion = expansion;
    const BoxForces forces = resolve_box_forces(parameters, options, cube_particles, 1);
    const auto backend = make_simd_backend();
    const PairLaw law{1, softening_, forces.walks.multipole, 1, forces.split};
    const auto long_range = make_long_range(forces, *backend);
    for (int pass = 0; pass < 2; ++pass) {  // the relative criterion needs accelerations
      GravitySolver(forces.walks, *backend).accelerate(store, law, {.long_range = long_range.get()});
    }
    return median_error(store, truth_, 1);
  }

  [[nodiscard]] double error_of_ewald() const {
    ParticleStore store = softened_cube();
    GravitySolver({}, *make_ewald_backend()).accelerate(store, {1, softening_, MultipoleOrder::quadrupole, 1});
    return median_error(store, truth_, 1);
  }

 private:
  double softening_;
  std::vector<Vec3d> truth_;
};

TEST(SoftenedBox, EveryImageIsSoftened) {
  for (const double spacings : {0.02, 0.05, 0.2, 0.5}) {
    const SoftenedForces forces(spacings / 6);
    const double fast = forces.error({Accuracy::fast}), standard = forces.error({Accuracy::standard}),
                 expanded = forces.error({Accuracy::standard}, 5), reference = forces.error({Accuracy::reference}),
                 ewald = forces.error_of_ewald();
    std::printf("softening %.2f spacings: fast %.1e, standard %.1e (expanded %.1e), reference %.1e, Ewald %.1e\n",
                spacings, fast, standard, expanded, reference, ewald);
    EXPECT_LT(fast, 1e-2);
    EXPECT_LT(std::max(standard, expanded), 5e-4);
    EXPECT_LT(reference, 1.3e-5);
    EXPECT_LT(ewald, 1.3e-5);
  }
}

/// A cap of the physical softening shrinks the comoving one from some time on: mesh and pairs follow.
TEST(SoftenedBox, ThePhysicalCapHoldsAtItsTime) {
  Parameters parameters;
  parameters.model.kind = ModelKind::box;
  parameters.model.box_size = 6;
  parameters.cosmology.omega_m = 1, parameters.cosmology.omega_lambda = 0;
  parameters.softening.softening = 500;               // kpc/h: half a mean spacing
  parameters.softening.softening_max_physical = 100;  // from a = 0.2 on
  parameters.box_force.accuracy = Accuracy::reference;
  for (const double a : {0.1, 0.4, 0.8}) {
    ParticleSystem system;
    system.boundary = Boundary::periodic;
    system.box_size = 6, system.spacing = 1, system.time = a;
    system.particles = softened_cube();
    for (float& m : system.particles.mass) m = static_cast<float>(units::critical_density);
    const double softening = std::min(0.5, 0.1 / a);
    const std::vector<Vec3d> truth = truth_about(system.particles, softening / 6);
    for (Vec3d& x : system.particles.position) x *= 6;
    const auto backend = make_simd_backend();
    Simulation simulation(parameters, std::move(system), *backend);
    simulation.start();
    EXPECT_NEAR(simulation.softening(), softening, 1e-12);
    const double error =
        median_error(simulation.on_host().particles, truth, units::gravitational_constant / 36);  // of the box
    std::printf("a = %.1f, softening %.3f spacings: %.1e\n", a, softening, error);
    EXPECT_LT(error, 1.3e-5);
  }
}

}  // namespace
}  // namespace multiwalk
