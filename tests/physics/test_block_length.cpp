// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh pushes at the ends of blocks only, so that particles may move by a quarter of the split's scale in one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "host/base/units.hpp"
#include "host/force/simd_backend.hpp"
#include "run/evolve/simulation.hpp"

namespace multiwalk {
namespace {

/// Two equal lattices that stream through each other along x in an Einstein-de Sitter universe, each with a small wave.
struct Streams {
  std::uint32_t grid = 8;
  double side = 64, wave = 0.02;  ///< Mpc/h; displacement in wavelengths / 2 pi
  double momentum = 0;            ///< +- a^2 dx/dt, km/s Mpc/h

  [[nodiscard]] ParticleSystem at(double a) const {
    ParticleSystem system;
    system.boundary = Boundary::periodic;
    system.box_size = side, system.spacing = side / grid / std::cbrt(2), system.time = a;
    ParticleStore& p = system.particles;
    const std::uint64_t sites = std::uint64_t{grid} * grid * grid;
    p.resize(2 * sites);
    const double k = 2 * std::numbers::pi / side, cell = side / grid;
    for (std::uint64_t id = 0; id < p.size(); ++id) {
      const std::uint64_t site = id % sites;
      const double shift = id < sites ? 0 : 0.5;
      const Vec3d q = cell * Vec3d{shift + double(site / grid / grid), shift + double(site / grid % grid),
                                   shift + double(site % grid)};
      const double displaced = -wave * std::sin(k * q.x) / k;
      p.id[id] = id;
      p.mass[id] = static_cast<float>(0.5 * units::critical_density * cell * cell * cell);
      p.position[id] = q + Vec3d{displaced, 0, 0};
      p.velocity[id] = Vec3f(Vec3d{
          (id < sites ? momentum : -momentum) + growth_rate * units::hubble_100 * std::sqrt(a) * displaced, 0, 0});
    }
    wrap(p, side);
    return system;
  }
  /// Half of the matter clumps with a stream, the other passes by: D'' + D'/2 - 3/4 D = 0 in ln a.
  const double growth_rate = (std::sqrt(13.0) - 1) / 4;
};

Parameters box_of_streams() {
  Parameters parameters;
  parameters.cosmology.omega_m = 1, parameters.cosmology.omega_lambda = 0;
  parameters.time.max_dlna = 0.03;
  return parameters;
}

TEST(BlockLength, IsAQuarterOfTheSplitsScale) {
  const auto backend = make_simd_backend();
  const Parameters parameters = box_of_streams();
  Streams streams;
  streams.wave = 0;
  for (const double a : {0.25, 1.0}) {
    for (const double momentum : {100.0, 1000.0, 5000.0}) {
      streams.momentum = momentum;
      Simulation simulation(parameters, streams.at(a), *backend);
      simulation.start();
      // dx = p dt / a^2 = p dlna / (a^2 H)
      const double way = momentum / (a * a * units::hubble_100 * std::pow(a, -1.5));
      const double dlna = 0.25 * simulation.box_forces()->split.scale / way;
      EXPECT_NEAR(std::log(simulation.next_time() / a) / std::fmin(0.03, dlna), 1, 1e-6) << a << ' ' << momentum;
    }
  }
}

/// How much the streams' waves grow, over what is expected; by blocks of the run's own length, or all of `length`.
double growth_of_streams(const Streams& streams, double length) {
  const auto backend = make_simd_backend();
  const double from = 0.5, to = 0.7;
  const Parameters parameters = box_of_streams();
  Simulation simulation(parameters, streams.at(from), *backend);
  simulation.start();
  while (simulation.time() < to) {
    const double next = length > 0 ? simulation.time() * std::exp(length) : simulation.next_time();
    simulation.step(std::min(to, next));
  }
  const ParticleStore& p = simulation.on_host().particles;
  // Each stream's wave about its mean.
  const double k = 2 * std::numbers::pi / streams.side, cell = streams.side / streams.grid;
  const double moved = streams.momentum * 2 / units::hubble_100 * (1 / std::sqrt(from) - 1 / std::sqrt(to));
  const std::uint64_t sites = p.size() / 2;
  double grown = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool second = p.id[i] >= sites;
    const double q = cell * ((second ? 0.5 : 0) + double(p.id[i] % sites / streams.grid / streams.grid));
    double off = p.position[i].x - q - (second ? -moved : moved);
    off -= streams.side * std::round(off / streams.side);
    grown += -off * k * 2 * std::sin(k * q) / static_cast<double>(p.size()) / streams.wave;
  }
  const double expected = std::pow(to / from, streams.growth_rate);
  std::printf("two streams, %llu blocks: waves grew to %.4f, %.4f expected\n",
              static_cast<unsigned long long>(simulation.step_count()), grown, expected);
  return grown / expected;
}

TEST(BlockLength, LetsStreamsPassThroughEachOther) {
  Streams streams;
  streams.momentum = 800 * units::hubble_100;
  EXPECT_NEAR(growth_of_streams(streams, 0), 1, 0.006);
  EXPECT_GT(std::fabs(growth_of_streams(streams, 0.03) - 1), 0.02) << "longer blocks would do";
}

}  // namespace
}  // namespace multiwalk
