// SPDX-License-Identifier: GPL-3.0-or-later
// Comoving spheres in vacuum: pure Hubble flow, and linear growth in the middle of a LCDM realisation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "host/cosmology/growth.hpp"
#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "run/evolve/simulation.hpp"

namespace multiwalk {
namespace {

void run_to(Simulation& simulation, double a_end) {
  while (simulation.time() < a_end) simulation.step(std::min(a_end, simulation.next_time()));
}

// Proper radii grow as t^(2/3) = a in an Einstein-de Sitter universe: comoving radii stay.
TEST(HubbleFlow, LatticeSphereKeepsItsComovingShells) {
  Parameters parameters;
  parameters.model.kind = ModelKind::hubble_lattice;
  parameters.cosmology.omega_m = 1;
  parameters.cosmology.omega_lambda = 0;
  parameters.ic.grid = 37;  // about 26,000 particles
  parameters.force.mac = Mac::relative;
  parameters.force.alpha = 0.002;
  const auto backend = make_simd_backend();
  ParticleSystem system = make_model(parameters.model, parameters.ic, parameters.cosmology);
  const double radius = system.sphere_radius;
  std::vector<double> before(system.particles.size());
  std::vector<std::uint64_t> index(1);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (system.particles.id[i] >= index.size()) index.resize(system.particles.id[i] + 1);
    index[system.particles.id[i]] = i;
    before[i] = norm(system.particles.position[i]);
  }
  Simulation simulation(parameters, std::move(system), *backend);
  simulation.start();
  run_to(simulation, 1);
  double sum[4] = {}, count[4] = {};
  const ParticleStore& store = simulation.on_host().particles;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const double r0 = before[index[store.id[i]]];
    const int shell = static_cast<int>(std::floor((r0 / radius - 0.5) / 0.1));
    if (shell < 0 || shell > 3) continue;
    sum[shell] += norm(store.position[i]) / r0;
    ++count[shell];
  }
  std::printf("Hubble flow, N %zu, %llu steps:", store.size(),
              static_cast<unsigned long long>(simulation.step_count()));
  for (int shell = 0; shell < 4; ++shell) {
    std::printf(" %.6f", sum[shell] / count[shell]);
    EXPECT_NEAR(sum[shell] / count[shell], 1, 1e-3) << "shell from " << 0.5 + 0.1 * shell;
  }
  std::printf("\n");
}

/// r / r(start) of a uniform sphere by r'' = -G M / r^2, from comoving expansion `a` with a density excess and the
/// growing mode's velocity, at a later a of the Einstein-de Sitter universe around it. Comoving.
double top_hat(double a, double excess, double a_end) {
  const double steps = 200000;
  const double t = 2.0 / 3 * std::pow(a, 1.5), dt = (2.0 / 3 * std::pow(a_end, 1.5) - t) / steps;  // H(1) = 1
  const double pull = 0.5 * (1 + excess) * std::pow(a, -3.0);
  double r = 1, v = std::pow(a, -1.5) * (1 - excess / 3);
  for (int step = 0; step < static_cast<int>(steps); ++step) {
    v -= 0.5 * dt * pull / (r * r);
    r += dt * v;
    v -= 0.5 * dt * pull / (r * r);
  }
  return r * a / a_end;
}

// A cold lattice adds the errors of its forces up: the default must follow the collapse to half a percent.
TEST(TopHat, ShellsOfTheDefaultFollowTheSphericalCollapse) {
  Parameters parameters;
  parameters.model.kind = ModelKind::hubble_lattice;
  parameters.cosmology.omega_m = 1;
  parameters.cosmology.omega_lambda = 0;
  parameters.ic.grid = 37;
  const auto backend = make_simd_backend();
  ParticleSystem system = make_model(parameters.model, parameters.ic, parameters.cosmology);
  const double a_start = system.time, a_end = 1 / 1.445, excess = 1.686 * a_start;
  const double radius = system.sphere_radius, hubble = Expansion(parameters.cosmology).hubble(a_start);
  std::map<std::uint64_t, double> before;
  ParticleStore& made = system.particles;
  for (std::size_t i = 0; i < made.size(); ++i) {
    before[made.id[i]] = norm(made.position[i]);
    made.mass[i] *= static_cast<float>(1 + excess);
    made.velocity[i] = Vec3f(-a_start * a_start * hubble * excess / 3 * made.position[i]);
  }
  Simulation simulation(parameters, std::move(system), *backend);
  simulation.start();
  run_to(simulation, a_end);
  const double expected = top_hat(a_start, excess, a_end);
  double sum[8] = {}, count[8] = {};
  const ParticleStore& store = simulation.on_host().particles;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const double r0 = before.at(store.id[i]);
    const int shell = static_cast<int>(std::floor((r0 / radius - 0.1) / 0.1));
    if (shell < 0 || shell > 7) continue;
    sum[shell] += norm(store.position[i]) / r0;
    ++count[shell];
  }
  std::printf("top-hat to z = 0.445, r / r0 = %.4f, N %zu:", expected, store.size());
  for (int shell = 0; shell < 8; ++shell) {
    std::printf(" %+.3f%%", 100 * (sum[shell] / count[shell] / expected - 1));
    EXPECT_NEAR(sum[shell] / count[shell] / expected, 1, 5e-3) << "shell from " << 0.1 + 0.1 * shell;
  }
  std::printf("\n");
}

/// Displacements from the lattice, by lattice index.
std::vector<Vec3d> displacements(const ParticleSystem& system, std::uint32_t grid) {
  const double nan = std::nan("");
  std::vector<Vec3d> d(std::size_t{grid} * grid * grid, {nan, nan, nan});
  const double spacing = system.spacing;
  for (std::size_t i = 0; i < system.particles.size(); ++i) {
    const std::uint64_t id = system.particles.id[i];
    const auto at = [&](std::uint64_t cell) {
      return (static_cast<double>(cell) + 0.5) * spacing - 0.5 * grid * spacing;
    };
    d[id] = system.particles.position[i] - Vec3d{at(id / grid / grid), at(id / grid % grid), at(id % grid)};
  }
  return d;
}

/// Convergence of the displacement through the faces of cubes of `width` cells inside the central half: linear density,
/// untouched by the missing matter outside (its tidal field has no divergence).
std::vector<double> convergence(const std::vector<Vec3d>& d, int grid, int width) {
  std::vector<double> values;
  const int from = grid / 4, to = 3 * grid / 4 - width;
  for (int x = from; x < to; x += 2)
    for (int y = from; y < to; y += 2)
      for (int z = from; z < to; z += 2) {
        double flux = 0;
        for (int u = 0; u <= width; ++u)
          for (int v = 0; v <= width; ++v) {
            const double weight = (u % width == 0 ? 0.5 : 1.0) * (v % width == 0 ? 0.5 : 1.0);
            const auto at = [&](int i, int j, int k) { return d[(std::size_t(i) * grid + j) * grid + k]; };
            flux += weight * (at(x + width, y + u, z + v).x - at(x, y + u, z + v).x);
            flux += weight * (at(x + u, y + width, z + v).y - at(x + u, y, z + v).y);
            flux += weight * (at(x + u, y + v, z + width).z - at(x + u, y + v, z).z);
          }
        values.push_back(-flux);
      }
  return values;
}

TEST(LinearGrowth, CrossAmplitudeInTheMiddleOfTheSphereGrowsAsD) {
  Parameters parameters;
  parameters.ic.grid = 48;
  parameters.model.radius = 60;
  parameters.ic.z_start = 49;
  parameters.ic.lpt_order = 2;
  parameters.force.mac = Mac::relative;
  parameters.force.alpha = 0.005;
  const auto backend = make_simd_backend();
  ParticleSystem system = make_model(parameters.model, parameters.ic, parameters.cosmology);
  const double a_start = system.time;
  const int grid = 48, width = 8;
  const std::vector<double> before = convergence(displacements(system, grid), grid, width);
  const Growth growth{Expansion(parameters.cosmology)};
  Simulation simulation(parameters, std::move(system), *backend);
  simulation.start();
  for (const double z : {24.0, 15.0, 9.0}) {
    run_to(simulation, 1 / (1 + z));
    const std::vector<double> now = convergence(displacements(simulation.on_host(), grid), grid, width);
    double cross = 0, power = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      cross += now[i] * before[i];
      power += before[i] * before[i];
    }
    const double expected = growth.factor(simulation.time()) / growth.factor(a_start);
    std::printf("growth to z = %.0f: measured %.4f, linear %.4f, ratio %.4f (%llu steps)\n", z, cross / power, expected,
                cross / power / expected, static_cast<unsigned long long>(simulation.step_count()));
    EXPECT_NEAR(cross / power / expected, 1, 0.01);
  }
}

}  // namespace
}  // namespace multiwalk
