// SPDX-License-Identifier: GPL-3.0-or-later
// Third-order initial conditions that a run carries on: the odd part of what opposite fields do, without its first
// order, grows as D3, in positions and momenta, along the gradients and across them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#include "host/base/separation.hpp"
#include "host/base/units.hpp"
#include "host/force/simd_backend.hpp"
#include "ic/lpt/displacement.hpp"
#include "run/evolve/simulation.hpp"

namespace multiwalk {
namespace {

constexpr std::uint32_t cells = 20;
constexpr double side = 60;  // Mpc/h
const Load sites = lattice_load(cells, {side});

/// Waves along diagonals of faces and of the cube; `amplitude`: of each, at a = 1.
PencilMesh long_waves(double amplitude) {
  PencilMesh mesh({}, cells);
  const Vec3<std::int64_t> waves[] = {{1, 0, 1}, {0, -1, 1}, {-1, 1, 1}, {1, 1, 1}};
  double phase = 0.4;
  for (const auto n : waves) {
    mesh.mode(mesh.index(n.x), mesh.index(n.y), static_cast<std::uint32_t>(n.z)) = std::polar(amplitude, phase);
    phase += 1.7;
  }
  return mesh;
}

/// In an Einstein-de Sitter universe D = a, -3/7 a^2, (1/3, -10/21, -1/7) a^3, and p = a^2 H n D at order n.
LptFactors factors_at(double a) {
  const double momentum = units::hubble_100 * std::sqrt(a), square = -3.0 / 7 * a * a, cube = a * a * a;
  const auto third = [&](double share) { return LptTerm{share * cube, 3 * momentum * share * cube}; };
  return {a, square, momentum * a, 2 * momentum * square, third(1.0 / 3), third(-10.0 / 21), third(-1.0 / 7)};
}

/// Displacements and momenta by site.
struct Motion {
  std::vector<Vec3d> way, momentum;
};

Motion motion_of(const ParticleStore& particles) {
  Motion motion{std::vector<Vec3d>(particles.size()), std::vector<Vec3d>(particles.size())};
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::uint64_t site = particles.id[i];
    motion.way[site] = separation(sites.position(site), wrapped(particles.position[i], side), side);
    motion.momentum[site] = Vec3d(particles.velocity[i]);
  }
  return motion;
}

Motion lpt_motion(double amplitude, const LptFactors& factors) {
  ParticleStore particles;
  displace(long_waves(amplitude), factors, sites, particles);
  particles.id = sites.site;
  return motion_of(particles);
}

Motion evolved(double amplitude, double from, double to) {
  ParticleSystem system;
  system.boundary = Boundary::periodic;
  system.box_size = side, system.spacing = side / cells, system.time = from;
  displace(long_waves(amplitude), factors_at(from), sites, system.particles);
  system.particles.id = sites.site;
  for (float& m : system.particles.mass) m = static_cast<float>(units::critical_density * std::pow(system.spacing, 3));
  wrap(system.particles, side);
  Parameters parameters;
  parameters.cosmology.omega_m = 1, parameters.cosmology.omega_lambda = 0;
  parameters.box_force.accuracy = Accuracy::reference;
  parameters.time.max_dlna = 0.03;
  const auto backend = make_simd_backend();
  Simulation simulation(parameters, std::move(system), *backend);
  simulation.start();
  while (simulation.time() < to) simulation.step(std::min(to, simulation.next_time()));
  return motion_of(simulation.on_host().particles);
}

/// The third order of four motions, with amplitudes 1, -1, 1/2 and -1/2: odd, and 3/4 of it is left.
std::vector<Vec3d> third_order(const std::array<std::vector<Vec3d>, 4>& of) {
  std::vector<Vec3d> third(of[0].size());
  for (std::size_t i = 0; i < third.size(); ++i)
    third[i] = (4.0 / 3) * (0.5 * (of[0][i] - of[1][i]) - (of[2][i] - of[3][i]));
  return third;
}

/// The share of `expected` in a field: 1 if they agree, whatever is orthogonal.
double share(const std::vector<Vec3d>& field, const std::vector<Vec3d>& expected) {
  double product = 0, square = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    product += dot(field[i], expected[i]);
    square += norm2(expected[i]);
  }
  return product / square;
}

TEST(ThirdOrderRun, GrowsAsItWasStarted) {
  const double amplitude = 0.2, from = 0.3, to = 0.4;
  std::array<std::vector<Vec3d>, 4> ways, momenta;
  for (std::size_t run = 0; run < 4; ++run) {
    Motion motion = evolved(std::array{1.0, -1.0, 0.5, -0.5}[run] * amplitude, from, to);
    ways[run] = std::move(motion.way), momenta[run] = std::move(motion.momentum);
  }
  const std::vector<Vec3d> way = third_order(ways), momentum = third_order(momenta);
  const LptFactors all = factors_at(to);
  LptFactors along{}, across{};
  along.determinant = all.determinant, along.mixed = all.mixed, across.transverse = all.transverse;
  for (const auto& [name, factors, tolerance] :
       {std::tuple{"along gradients", along, 0.06}, {"across", across, 0.06}}) {
    const Motion expected = lpt_motion(amplitude, factors);
    const double grown = share(way, expected.way), pushed = share(momentum, expected.momentum);
    std::printf("third order %s: %.4f of the displacement, %.4f of the momentum\n", name, grown, pushed);
    EXPECT_NEAR(grown, 1, tolerance);
    EXPECT_NEAR(pushed, 1, tolerance);
  }
}

}  // namespace
}  // namespace multiwalk
