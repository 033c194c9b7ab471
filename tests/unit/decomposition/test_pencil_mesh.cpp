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

#include "decomposition/mode_copy.hpp"
#include "decomposition/pencil_mesh.hpp"
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
    copy_modes(hashed_modes({}, 21), fine, [](const auto&) { return 0.7; });
    fine.to_values();
    std::vector<double> all;
    for_each_value(fine, [&](auto x, auto y, auto z) { all.push_back(fine.value(x, y, z)); });
    return all;
  };
  const std::vector<double> one = values(1);
  EXPECT_EQ(one, values(2));
  EXPECT_EQ(one, values(5));
  omp_set_num_threads(threads);
}

TEST(ModeCopy, KeepsTheWavesThatBothMeshesResolve) {
  for (const auto& [from_cells, to_cells] : {std::pair{9U, 14U}, {8U, 12U}, {12U, 8U}, {11U, 6U}, {8U, 8U}}) {
    const PencilMesh from = hashed_modes({}, from_cells);
    PencilMesh to({}, to_cells);
    copy_modes(from, to, [](const auto& n) { return Complex(n.x + 100 * n.y, n.z); });
    int copied = 0;
    to.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, Complex& mode) {
      const auto both = [&](std::int64_t n) { return from.resolves(n) && to.resolves(n); };
      Complex expected = 0;
      if (both(x) && both(y) && both(z)) {
        expected = from.mode(from.index(x), from.index(y), from.index(z)) * Complex(x + 100 * y, z);
#pragma omp atomic
        ++copied;
      }
#pragma omp critical
      EXPECT_EQ(mode, expected);
    });
    const int top = static_cast<int>(std::min(from_cells, to_cells) - 1) / 2;
    EXPECT_EQ(copied, (2 * top + 1) * (2 * top + 1) * (top + 1));
  }
}

}  // namespace
}  // namespace multiwalk
