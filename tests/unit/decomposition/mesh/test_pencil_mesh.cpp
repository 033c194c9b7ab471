// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh on one rank against direct sums; how its parts are shared out among many.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include "decomposition/mesh/pencil_mesh.hpp"
#include "tests/support/mesh_models.hpp"

namespace multiwalk {
namespace {

using Complex = std::complex<double>;
using test_models::for_each_mode_place;
using test_models::for_each_value;
using test_models::hashed_modes;
using test_models::hashed_value;

TEST(PencilGrid, PartsCoverEveryIndexOnce) {
  for (const std::uint32_t n : {0U, 1U, 5U, 16U, 65535U}) {
    for (const int parts : {1, 2, 3, 7, 40}) {
      std::uint32_t next = 0;
      for (int p = 0; p < parts; ++p) {
        const IndexRange part = part_of(n, p, parts);
        EXPECT_EQ(part.first, next);
        EXPECT_LE(part.count, n / static_cast<std::uint32_t>(parts) + 1);
        next = part.end();
      }
      EXPECT_EQ(next, n);
    }
  }
  EXPECT_EQ(overlap({2, 5}, {4, 9}).first, 4U);
  EXPECT_EQ(overlap({2, 5}, {4, 9}).count, 3U);
  EXPECT_EQ(overlap({2, 2}, {4, 9}).count, 0U);
}

TEST(PencilGrid, IsNearlySquareAndPrimesGiveOneColumn) {
  for (const auto& [ranks, rows, columns] : {std::array{1, 1, 1}, {2, 2, 1}, {7, 7, 1}, {8, 4, 2}, {36, 6, 6}}) {
    const PencilGrid grid(ranks);
    EXPECT_EQ(grid.rows, rows) << ranks;
    EXPECT_EQ(grid.columns, columns) << ranks;
  }
}

/// sum over all cells of value exp(-2 pi i n.x / N) / N^3.
Complex direct_mode(std::uint32_t cells, std::uint32_t n_x, std::uint32_t n_y, std::uint32_t n_z) {
  std::vector<Complex> wave;
  for (std::uint32_t i = 0; i < cells; ++i) wave.push_back(std::polar(1.0, -2 * std::numbers::pi * i / cells));
  Complex sum = 0;
  for (std::uint32_t x = 0; x < cells; ++x) {
    for (std::uint32_t y = 0; y < cells; ++y) {
      for (std::uint32_t z = 0; z < cells; ++z) {
        sum += hashed_value(x, y, z) * wave[(x * n_x + y * n_y + z * n_z) % cells];
      }
    }
  }
  return sum / std::pow(cells, 3);
}

TEST(PencilMesh, ModesAreTheDirectSumAndValuesComeBack) {
  for (const std::uint32_t cells : {1U, 2U, 3U, 6U, 7U, 8U, 13U}) {
    PencilMesh mesh = hashed_modes({}, cells);
    double power = 0;
    for_each_mode_place(mesh, [&](auto x, auto y, auto z) {
      const bool alone = z == 0 || 2 * z == cells;  // its conjugate is stored too
      power += (alone ? 1 : 2) * std::norm(mesh.mode(x, y, z));
      if (cells < 13 || (x + y) % 5 == z % 5) {
        EXPECT_LT(std::abs(mesh.mode(x, y, z) - direct_mode(cells, x, y, z)), 1e-15) << cells;
      }
    });
    mesh.to_values();
    double square = 0;
    for_each_value(mesh, [&](auto x, auto y, auto z) {
      EXPECT_NEAR(mesh.value(x, y, z), hashed_value(x, y, z), 2e-15) << cells;
      square += std::pow(hashed_value(x, y, z), 2);
    });
    EXPECT_NEAR(power / (square / std::pow(cells, 3)), 1, 1e-14) << cells;  // Parseval
  }
}

TEST(PencilMesh, ThreadsDoNotChangeABit) {
  const int threads = omp_get_max_threads();
  const auto values = [](int count) {
    omp_set_num_threads(count);
    PencilMesh fine({}, 30);
    fine.set_values(hashed_modes({}, 21), [](const auto&) { return 0.7; });
    std::vector<double> all;
    for_each_value(fine, [&](auto x, auto y, auto z) { all.push_back(fine.value(x, y, z)); });
    return all;
  };
  const std::vector<double> one = values(1);
  EXPECT_EQ(one, values(2));
  EXPECT_EQ(one, values(5));
  omp_set_num_threads(threads);
}

/// Modes of `from` below its Nyquist wavenumber times some factor of n, on a mesh of its own of `cells` cells.
PencilMesh finer_modes(const PencilMesh& from, std::uint32_t cells) {
  PencilMesh to({}, cells);
  to.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, Complex& mode) {
    const bool both = from.resolves(x) && from.resolves(y) && from.resolves(z);
    mode = both ? from.mode(from.index(x), from.index(y), from.index(z)) * Complex(x + 100 * y, z) : 0.0;
  });
  return to;
}

TEST(PencilMesh, TakesTheValuesOfTheWavesOfACoarserMesh) {
  for (const auto& sizes : {std::pair{9U, 14U}, {8U, 12U}, {11U, 11U}, {8U, 8U}, {1U, 2U}, {2U, 5U}}) {
    const unsigned coarse = sizes.first, fine = sizes.second;
    const PencilMesh from = hashed_modes({}, coarse);
    PencilMesh values = hashed_modes({}, fine), expected = finer_modes(from, fine);
    values.set_values(from, [](const auto& n) { return Complex(n.x + 100 * n.y, n.z); });
    expected.to_values();
    for_each_value(values, [&](auto... at) { EXPECT_EQ(values.value(at...), expected.value(at...)) << fine; });
  }
}

TEST(PencilMesh, GivesTheModesThatACoarserMeshResolves) {
  for (const auto& sizes : {std::pair{9U, 14U}, {8U, 12U}, {11U, 11U}, {8U, 8U}, {1U, 2U}, {2U, 5U}}) {
    const unsigned coarse = sizes.first, fine = sizes.second;
    PencilMesh values = hashed_modes({}, fine), given = hashed_modes({}, coarse);
    const PencilMesh all = hashed_modes({}, fine);
    values.to_values();
    values.give_modes(given);
    given.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, Complex& mode) {
      const bool both = given.resolves(x) && given.resolves(y) && given.resolves(z);
      const Complex wanted = both ? all.mode(all.index(x), all.index(y), all.index(z)) : 0.0;
#pragma omp critical
      EXPECT_LT(std::abs(mode - wanted), both ? 1e-15 : 1e-300) << fine;
    });
  }
}

}  // namespace
}  // namespace multiwalk
