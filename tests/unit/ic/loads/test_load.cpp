// SPDX-License-Identifier: GPL-3.0-or-later
// Sites of lattices, copies of a glass, and what displaces particles there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "ic/fields/gaussian_field.hpp"
#include "ic/lpt/displacement.hpp"
#include "ic/models/make_load.hpp"

namespace multiwalk {
namespace {

/// delta = amplitude cos(n.x 2 pi / L).
PencilMesh wave_modes(std::uint32_t cells, Vec3<std::int64_t> n, double amplitude) {
  PencilMesh mesh({}, cells);
  mesh.mode(mesh.index(n.x), mesh.index(n.y), static_cast<std::uint32_t>(n.z)) = amplitude / 2;
  if (n.z == 0) mesh.mode(mesh.index(-n.x), mesh.index(-n.y), 0) = amplitude / 2;
  return mesh;
}

/// Largest error of the displacement and of the momentum by a wave, over the amplitude of either.
Vec3d wave_error(const Load& load, Vec3<std::int64_t> n) {
  const double amplitude = 0.3;
  const Vec3d wave = Vec3d(n) * (2 * std::numbers::pi / load.box_size);
  ParticleStore particles;
  displace(wave_modes(load.cells, n, amplitude), {0.5, 0, 2, 0, {}, {}, {}}, load, particles);
  const double largest = amplitude / norm(wave);
  Vec3d error;
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const Vec3d q = load.position(p) + load.origin;
    const Vec3d shift = -1.0 * wave * (amplitude / norm2(wave) * std::sin(dot(wave, q)));
    error.x = std::fmax(error.x, norm(particles.position[p] - load.position(p) - 0.5 * shift) / (0.5 * largest));
    error.y = std::fmax(error.y, norm(Vec3d(particles.velocity[p]) - 2.0 * shift) / (2 * largest));
  }
  return error;
}

std::vector<Vec3d> random_points(std::size_t count) {
  std::vector<Vec3d> points;
  for (std::size_t i = 0; i < count; ++i) {
    const RandomWords words = philox({i, 0, 0, 0}, 1, 99);
    points.push_back({uniform_open_above(words[0]), uniform_open_above(words[1]), uniform_open_above(words[2])});
  }
  return points;
}

TEST(BodyCentredLoad, InterleavesTwoLattices) {
  const Load load = lattice_load(4, {20}, 2);
  ASSERT_EQ(load.site.size(), 128U);
  EXPECT_TRUE(std::is_sorted(load.site.begin(), load.site.end()));
  EXPECT_EQ(load.site_position(64), (Vec3d{2.5, 2.5, 2.5}));
  EXPECT_EQ(load.site_position(64 + 16 * 3 + 4 * 2 + 1), (Vec3d{17.5, 12.5, 7.5}));
  EXPECT_NEAR(std::pow(load.spacing(), 3) * 128, 8000, 1e-9);
  std::size_t inside = 0;
  for (std::size_t p = 0; p < 128; ++p) inside += norm(load.position(p) - Vec3d{10, 10, 10}) < 10 * (1 - 1e-12) ? 1 : 0;
  EXPECT_EQ(lattice_load(4, {20, 10}, 2).site.size(), inside);
}

TEST(BodyCentredLoad, WavesAreExactAtBothLattices) {
  const Load load = lattice_load(12, {30}, 2);
  for (const Vec3<std::int64_t> n : {Vec3<std::int64_t>{1, 0, 0}, {0, -2, 3}, {5, -5, 5}}) {
    const Vec3d error = wave_error(load, n);
    EXPECT_LT(error.x, 1e-12);
    EXPECT_LT(error.y, 1e-6);
  }
}

TEST(GlassLoad, CopiesTheGlass) {
  const std::vector<Vec3d> tile = random_points(50);
  const Load load = glass_load(12, {30}, tile, 3);
  ASSERT_EQ(load.site.size(), 27U * 50);
  for (std::size_t p = 0; p < load.site.size(); ++p) {
    EXPECT_EQ(load.site[p], p);
    const std::size_t copy = p / 50;
    const Vec3d corner{10.0 * double(copy / 9), 10.0 * double(copy / 3 % 3), 10.0 * double(copy % 3)};
    EXPECT_LT(norm(load.position(p) - corner - 10.0 * tile[p % 50]), 1e-12);
  }
  const Load sphere = glass_load(12, {30, 12}, tile, 3);
  std::size_t inside = 0;
  for (std::size_t p = 0; p < load.site.size(); ++p) inside += norm(load.position(p) - Vec3d{15, 15, 15}) < 12 ? 1 : 0;
  EXPECT_EQ(sphere.site.size(), inside);
  for (std::size_t p = 0; p < inside; ++p) EXPECT_LT(norm(sphere.position(p)), 12);
}

TEST(GlassLoad, WavesAreReadClosely) {
  const Load load = glass_load(16, {32}, random_points(2000), 1);
  const Vec3d long_wave = wave_error(load, {1, -2, 1}), half_nyquist = wave_error(load, {4, 0, 0});
  const Vec3d diagonal = wave_error(load, {4, -4, 4}), corner = wave_error(load, {7, -7, 7});
  EXPECT_LT(long_wave.x, 1e-5);  // measured 7e-6, 1.1e-4, 3.0e-4, 5.5e-3
  EXPECT_LT(half_nyquist.x, 1.5e-4);
  EXPECT_LT(diagonal.x, 4e-4);
  EXPECT_LT(corner.x, 7e-3);
}

TEST(EveryLoad, FillsTheBoxWithItsMass) {
  for (const LoadKind load : {LoadKind::grid, LoadKind::bcc, LoadKind::glass}) {
    ModelOptions model;
    model.kind = ModelKind::box;
    model.box_size = 50;
    IcOptions ic;
    ic.grid = 16;
    ic.glass_tiles = 2;
    ic.load = load;
    const ParticleSystem system = make_model(model, ic, {});
    const std::size_t expected = 4096 * (load == LoadKind::bcc ? 2 : 1);
    ASSERT_EQ(system.particles.size(), expected);
    double mass = 0;
    for (const float m : system.particles.mass) mass += m;
    EXPECT_NEAR(mass / (CosmologyParameters{}.omega_m * units::critical_density * 125000), 1, 1e-6);
    EXPECT_NEAR(std::pow(system.spacing, 3) * static_cast<double>(expected), 125000, 1e-6);
  }
}

TEST(GlassLoad, IsDividedIntoGlasses) {
  IcOptions ic;
  ic.load = LoadKind::glass;
  const auto tiles = [&](std::uint32_t grid, std::uint32_t given) {
    ic.grid = grid;
    ic.glass_tiles = given;
    return glass_tiles(ic);
  };
  EXPECT_EQ(tiles(32, 0), 1U);
  EXPECT_EQ(tiles(33, 0), 3U);
  EXPECT_EQ(tiles(128, 0), 4U);
  EXPECT_EQ(tiles(128, 2), 2U);
  EXPECT_THROW(tiles(128, 3), InputError);
  EXPECT_THROW(tiles(128, 32), InputError);
  EXPECT_THROW(tiles(128, 1), InputError);
  EXPECT_THROW(tiles(37, 0), InputError);
}

}  // namespace
}  // namespace multiwalk
