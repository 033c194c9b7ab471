// SPDX-License-Identifier: GPL-3.0-or-later
// LPT against plane waves, products of waves and the spherical top-hat.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "host/base/error.hpp"
#include "ic/fields/gaussian_field.hpp"
#include "ic/lpt/displacement.hpp"
#include "ic/lpt/lpt_sources.hpp"

namespace multiwalk {
namespace {

constexpr double turn = 2 * std::numbers::pi;

/// Modes of a density given by its values, without its mean and Nyquist planes.
template <class Density>
PencilMesh density_modes(std::uint32_t cells, Density density) {
  PencilMesh mesh({}, cells);
  for (std::uint32_t x = 0; x < cells; ++x) {
    for (std::uint32_t y = 0; y < cells; ++y) {
      for (std::uint32_t z = 0; z < cells; ++z) mesh.value(x, y, z) = density(Vec3d{1.0 * x, 1.0 * y, 1.0 * z});
    }
  }
  mesh.to_modes();
  mesh.for_each_mode([&mesh](std::int64_t x, std::int64_t y, std::int64_t z, std::complex<double>& mode) {
    const bool kept = mesh.resolves(x) && mesh.resolves(y) && mesh.resolves(z) && (x != 0 || y != 0 || z != 0);
    if (!kept) mode = 0;
  });
  return mesh;
}

TEST(Displacement, PlaneWavesAreZeldovichWaves) {
  // delta = A cos(k.q)  ->  x = q - D1 A (k/k^2) sin(k.q): towards the crest.
  const std::uint32_t cells = 12;
  const double box = 30;
  for (const Vec3d n : {Vec3d{1, 0, 0}, Vec3d{0, -2, 0}, Vec3d{0, 0, 3}, Vec3d{2, -1, 4}}) {
    const double amplitude = 0.3;
    const Vec3d wave = n * (turn / box);
    const Load load = lattice_load(cells, {box});
    ParticleStore particles;
    displace(density_modes(cells, [&](Vec3d x) { return amplitude * std::cos(dot(n, x) * turn / cells); }),
             {0.5, -0.1, 2, -0.4}, load, particles);
    double largest = 0;
    for (std::size_t p = 0; p < particles.size(); ++p) {
      const Vec3d q = load.position(p);
      const Vec3d shift = -1.0 * wave * (amplitude / norm2(wave) * std::sin(dot(wave, q)));
      EXPECT_LT(norm(particles.position[p] - q - 0.5 * shift), 1e-12);
      EXPECT_LT(norm(Vec3d(particles.velocity[p]) - 2.0 * shift), 1e-6);
      largest = std::fmax(largest, norm(shift));
    }
    EXPECT_GT(largest, 0.1);
  }
}

TEST(Displacement, SecondOrderVanishesForAPlaneWave) {
  const PencilMesh source =
      second_order_source(density_modes(12, [](Vec3d x) { return std::cos(turn / 12 * (2 * x.x - x.y + 3 * x.z)); }));
  for (std::uint32_t x = 0; x < 12; ++x) {
    for (std::uint32_t y = 0; y < 12; ++y) {
      for (std::uint32_t z = 0; z < source.half_cells(); ++z) EXPECT_LT(std::abs(source.mode(x, y, z)), 1e-14);
    }
  }
}

TEST(Displacement, SecondOrderOfCrossedWavesHasNoAliases) {
  // cos(a.x) + cos(b.x): source (1 - cos^2(a, b)) cos(a.x) cos(b.x). a + b lies beyond the Nyquist wavenumber and must
  // not come back as a long wave; a - b = (0, 2, 0) must be there.
  for (const std::uint32_t cells : {15U, 16U}) {
    const double unit = turn / cells;
    const PencilMesh source = second_order_source(density_modes(
        cells, [unit](Vec3d x) { return std::cos(unit * (7 * x.x + x.y)) + std::cos(unit * (7 * x.x - x.y)); }));
    const double cosine = 48.0 / 50.0;
    EXPECT_NEAR(source.mode(0, 2, 0).real(), 0.25 * (1 - cosine * cosine), 1e-14);
    EXPECT_LT(std::abs(source.mode(source.index(14 - static_cast<int>(cells)), 0, 0)), 1e-14);
    double sum = 0;
    for (std::uint32_t y = 0; y < cells; ++y) {
      for (std::uint32_t x = 0; x < cells; ++x) sum += std::abs(source.mode(x, y, 0)) + std::abs(source.mode(x, y, 1));
    }
    EXPECT_NEAR(sum, 2 * 0.25 * (1 - cosine * cosine), 1e-12);
  }
}

/// Radius over its initial comoving value of an Einstein-de Sitter top-hat of linear overdensity delta (Peebles 1980).
double top_hat_radius(double delta) {
  double low = 1e-3;
  double high = turn;
  for (int i = 0; i < 100; ++i) {
    const double theta = 0.5 * (low + high);
    const double linear = 0.6 * std::pow(0.75 * (theta - std::sin(theta)), 2.0 / 3);
    (linear < delta ? low : high) = theta;
  }
  const double contrast = 4.5 * std::pow(low - std::sin(low), 2) / std::pow(1 - std::cos(low), 3);
  return std::cbrt(1 / contrast);
}

TEST(Displacement, HigherOrdersFollowTheSphericalTopHat) {
  const std::uint32_t cells = 64;
  const PencilMesh delta = density_modes(cells, [](Vec3d x) {
    const double r = norm(x - Vec3d{32, 32, 32});
    return 0.5 * std::erfc((r - 18) / 2);
  });
  double centre = 0;  // the contrast inside, the mean and the high waves removed
  for (std::uint32_t x = 0; x < cells; ++x) {
    for (std::uint32_t y = 0; y < cells; ++y) {
      for (std::uint32_t z = 0; z < delta.half_cells(); ++z) {
        const double sign = (x + y + z) % 2 == 0 ? 1 : -1;
        centre += sign * delta.mode(x, y, z).real() * (z > 0 ? 2 : 1);
      }
    }
  }
  EXPECT_NEAR(centre, 0.91, 0.02);
  const Load load = lattice_load(cells, {1.0 * cells});
  const double linear = 0.4;  // D1 centre
  const double d1 = linear / centre;
  const auto radius_ratio = [&](double d2, double d3 = 0) {
    PencilMesh copy = density_modes(cells, [](Vec3d x) {
      return 0.5 * std::erfc((norm(x - Vec3d{32, 32, 32}) - 18) / 2);
    });
    ParticleStore particles;
    displace(std::move(copy), {d1, d2, 0, 0, {d3 / 3, 0}, {-10.0 / 21.0 * d3, 0}, {}}, load, particles);
    const std::size_t site = (std::size_t{32} * cells + 32) * cells + 38;
    return (particles.position[site].z - 32) / 6;
  };
  const double first = radius_ratio(0);
  const double second = radius_ratio(-3.0 / 7.0 * d1 * d1);
  const double third = radius_ratio(-3.0 / 7.0 * d1 * d1, d1 * d1 * d1);
  EXPECT_NEAR(first, 1 - linear / 3, 5e-4);  // the periodic images pull a little
  EXPECT_NEAR(second - first, -linear * linear / 21, 1e-4);
  EXPECT_NEAR(third - second, -23.0 / 1701.0 * linear * linear * linear, 2e-5);
  // First order alone is 9e-3 off, the second 1.3e-3.
  EXPECT_NEAR(second, top_hat_radius(linear), 1.6e-3);
  EXPECT_NEAR(third, top_hat_radius(linear), 6e-4);
}

TEST(Displacement, ThreadsDoNotChangeABit) {
  const int threads = omp_get_max_threads();
  const LinearPower power = LinearPower::eisenstein_hu(CosmologyParameters{});
  const Load load = lattice_load(20, {60, 30});
  const auto run = [&](int count) {
    omp_set_num_threads(count);
    ParticleStore particles;
    displace(gaussian_field(20, 60, power, {9, false, false}), {0.5, -0.1, 50, -20}, load, particles);
    return particles;
  };
  const ParticleStore one = run(1);
  const ParticleStore three = run(3);
  EXPECT_EQ(one.position, three.position);
  EXPECT_EQ(one.velocity, three.velocity);
  omp_set_num_threads(threads);
}

TEST(Load, KeepsTheSitesInsideTheSphere) {
  const Load load = lattice_load(5, {10, 5});  // sites at multiples of 2, centre at 5
  std::size_t expected = 0;
  for (int x = -5; x < 5; x += 2) {
    for (int y = -5; y < 5; y += 2) {
      for (int z = -5; z < 5; z += 2) expected += x * x + y * y + z * z < 25 ? 1 : 0;
    }
  }
  EXPECT_EQ(load.site.size(), expected);
  for (std::size_t p = 0; p < load.site.size(); ++p) EXPECT_LT(norm(load.position(p)), 5);
  EXPECT_EQ(load.site_position(0), (Vec3d{-5, -5, -5}));
  EXPECT_EQ(load.site_position(1 + 5 * 2 + 25 * 3), (Vec3d{1, -1, -3}));
  EXPECT_EQ(lattice_load(5, {10}).site.size(), 125U);
  EXPECT_THROW(lattice_load(5, {10, 5.1}), InputError);
  EXPECT_THROW(lattice_load(5, {10, -1}), InputError);
  EXPECT_THROW(lattice_load(1, {10, 5}), InputError);
  EXPECT_THROW(lattice_load(5, {0}), InputError);
}

}  // namespace
}  // namespace multiwalk
