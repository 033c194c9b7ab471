// SPDX-License-Identifier: GPL-3.0-or-later
// What pulls the particles of an undisturbed lattice, where nothing should.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "host/base/separation.hpp"
#include "host/base/units.hpp"
#include "host/force/simd_backend.hpp"
#include "ic/loads/load.hpp"
#include "run/evolve/simulation.hpp"

namespace multiwalk {
namespace {

struct Residual {
  double rms = 0;      ///< displacement of linear waves with this pull, g / (4 pi G rho), in spacings
  double nyquist = 0;  ///< part of its square that alternates from site to site along the axis of the pull
};

Residual residual_of_lattice(std::uint32_t grid, Accuracy accuracy, Vec3d offset) {
  const Load load = lattice_load(grid, {1.0 * grid});
  ParticleSystem system;
  system.boundary = Boundary::periodic;
  system.box_size = grid, system.spacing = 1, system.time = 0.01;
  system.particles.resize(load.site.size());
  for (std::size_t i = 0; i < load.site.size(); ++i) {
    system.particles.position[i] = load.position(i) + offset;
    system.particles.id[i] = load.site[i];
    system.particles.mass[i] = static_cast<float>(units::critical_density);
  }
  Parameters parameters;
  parameters.cosmology.omega_m = 1, parameters.cosmology.omega_lambda = 0;
  parameters.box_force.accuracy = accuracy;
  const auto backend = make_simd_backend();
  Simulation simulation(parameters, std::move(system), *backend);
  simulation.start();
  const ParticleStore& p = simulation.on_host().particles;
  const double unit = 4 * std::numbers::pi * units::gravitational_constant * units::critical_density;
  double square = 0;
  Vec3d alternating;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec3d shift = Vec3d(p.acceleration[i]) * (1 / unit);
    const Vec3<std::uint32_t> at = load.indices(p.id[i]);
    square += norm2(shift);
    for (int axis = 0; axis < 3; ++axis) alternating[axis] += (at[axis] % 2 == 0 ? 1 : -1) * shift[axis];
  }
  const auto n = static_cast<double>(p.size());
  return {std::sqrt(square / n), norm2(alternating) / n / square};
}

TEST(Lattice, HardlyPullsItself) {
  struct Case {
    const char* name;
    Accuracy accuracy;
    double rms;
  };
  for (const Case& c : {Case{"fast", Accuracy::fast, 1e-5},
                        {"standard", Accuracy::standard, 3.6e-5},
                        {"reference", Accuracy::reference, 1.5e-7}}) {
    // At sites of the mesh or halfway between them, and elsewhere.
    for (const double offset : {0.0, 1 / 6.0, 0.3}) {
      const Residual found = residual_of_lattice(24, c.accuracy, offset * Vec3d{1, 1, 1});
      std::printf("%s, lattice at %.2f: rms %.2e spacings, %.3f of its square alternate\n", c.name, offset, found.rms,
                  found.nyquist);
      EXPECT_LT(found.rms, offset == 0 ? 1.5e-7 : c.rms) << c.name;
    }
  }
}

}  // namespace
}  // namespace multiwalk
