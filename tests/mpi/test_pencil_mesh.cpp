// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh spread over the ranks against the same mesh on one rank: bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "decomposition/mesh/pencil_mesh.hpp"
#include "decomposition/ranks/exact_sum.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/mesh_models.hpp"

namespace multiwalk {
namespace {

using Complex = std::complex<double>;
using test_models::for_each_mode_place;
using test_models::for_each_value;
using test_models::hashed_modes;
using test_models::hashed_value;
using test_models::set_values;

/// None of this rank's comparisons failed; returns how many all ranks made.
std::uint64_t expect_all(const std::vector<bool>& same, std::uint32_t cells) {
  EXPECT_EQ(std::ranges::count(same, false), 0) << cells;
  return world().sum(std::uint64_t{same.size()});
}

/// Every cell and every mode of the spread mesh, compared with the whole one; returns how many all ranks hold.
std::uint64_t expect_same_values(const PencilMesh& spread, const PencilMesh& whole) {
  std::vector<bool> same;
  for_each_value(spread, [&](auto... at) { same.push_back(spread.value(at...) == whole.value(at...)); });
  return expect_all(same, whole.cells());
}
std::uint64_t expect_same_modes(const PencilMesh& spread, const PencilMesh& whole) {
  std::vector<bool> same;
  for_each_mode_place(spread, [&](auto... at) { same.push_back(spread.mode(at...) == whole.mode(at...)); });
  return expect_all(same, whole.cells());
}

/// Sizes with empty ranks, odd, even, prime and larger ones.
const std::vector<std::uint32_t> sizes = {1, 2, 3, 5, 8, 13, 24, 35};

TEST(PencilMesh, TransformsAreThoseOfOneRankBitForBit) {
  for (const std::uint32_t cells : sizes) {
    PencilMesh spread = hashed_modes(world(), cells);
    PencilMesh whole = hashed_modes({}, cells);
    const std::uint64_t n = cells;
    EXPECT_EQ(expect_same_modes(spread, whole), n * n * (n / 2 + 1));
    spread.to_values();
    whole.to_values();
    EXPECT_EQ(expect_same_values(spread, whole), n * n * n);
    for_each_value(spread,
                   [&](auto x, auto y, auto z) { EXPECT_NEAR(spread.value(x, y, z), hashed_value(x, y, z), 2e-15); });
  }
}

TEST(PencilMesh, SingleModesAreWaves) {
  const std::uint32_t cells = 10;
  const double unit = 2 * std::numbers::pi / cells;
  for (const auto& n : {Vec3<int>{0, 0, 0}, {3, 0, 0}, {0, -2, 0}, {1, 4, 2}, {-4, -3, 4}}) {
    PencilMesh mesh(world(), cells);
    mesh.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, Complex& mode) {
      // A real wave holds its conjugate too where n_z = 0.
      const bool is_wave = x == n.x && y == n.y && z == n.z;
      const bool is_mirror = n.z == 0 && x == -n.x && y == -n.y && z == 0;
      mode = is_wave ? Complex(0.5, -0.25) : is_mirror ? Complex(0.5, 0.25) : 0.0;
    });
    const bool constant = n == Vec3<int>{};
    mesh.to_values();
    for_each_value(mesh, [&](auto x, auto y, auto z) {
      const int turns = n.x * static_cast<int>(x) + n.y * static_cast<int>(y) + n.z * static_cast<int>(z);
      const double phase = unit * (turns % 10);
      const double expected = constant ? 0.5 : std::cos(phase) + 0.5 * std::sin(phase);
      EXPECT_NEAR(mesh.value(x, y, z), expected, 2e-15);
    });
  }
}

TEST(PencilMesh, PowerOfModesAndValuesAgree) {
  const std::uint32_t cells = 12;
  PencilMesh mesh(world(), cells);
  set_values(mesh, hashed_value);
  ExactSum square;
  for_each_value(mesh, [&](auto x, auto y, auto z) { square.add(std::pow(mesh.value(x, y, z), 2)); });
  mesh.to_modes();
  ExactSum power;
  for_each_mode_place(mesh, [&](auto x, auto y, auto z) {
    power.add((z == 0 || 2 * z == cells ? 1 : 2) * std::norm(mesh.mode(x, y, z)));
  });
  EXPECT_NEAR(power.total(world()) * std::pow(cells, 3) / square.total(world()), 1, 1e-14);
}

TEST(PencilMesh, WavesOfACoarserMeshAreThoseOfOneRankThereAndBack) {
  const auto factor = [](const Vec3<std::int64_t>& n) {
    return Complex(1.0 + static_cast<double>(n.x), static_cast<double>(n.y - 3 * n.z));
  };
  for (const auto& [coarse, fine] :
       {std::pair{1U, 1U}, {1U, 8U}, {3U, 5U}, {7U, 8U}, {8U, 12U}, {9U, 14U}, {24U, 24U}, {24U, 36U}, {35U, 52U}}) {
    PencilMesh spread(world(), fine), whole({}, fine), spread_modes(world(), coarse), whole_modes({}, coarse);
    spread.keep_spare();
    for (int round = 0; round < 2; ++round) {
      spread.set_values(hashed_modes(world(), coarse), factor);
      whole.set_values(hashed_modes({}, coarse), factor);
      EXPECT_EQ(expect_same_values(spread, whole), std::uint64_t{fine} * fine * fine);
      spread.give_modes(spread_modes);
      whole.give_modes(whole_modes);
      EXPECT_EQ(expect_same_modes(spread_modes, whole_modes), std::uint64_t{coarse} * coarse * (coarse / 2 + 1));
    }
  }
}

/// A rank keeps its part of what it has, and the modes that are missing do not travel.
TEST(PencilMesh, MissingModesAreNotSent) {
  const std::uint32_t coarse = 32, fine = 48;
  const PencilMesh modes = hashed_modes(world(), coarse);
  PencilMesh mesh(world(), fine);
  const std::uint64_t before = Communicator::bytes_sent();
  mesh.set_values(modes, [](const auto&) { return 1.0; });
  const auto sent = static_cast<double>(world().sum(Communicator::bytes_sent() - before));
  const PencilGrid grid(world().size());
  const double n = fine, m = coarse, z = coarse / 2 + 1;
  const double in_columns = n * m * z * (1 - 1.0 / grid.rows), in_rows = n * n * z * (1 - 1.0 / grid.columns);
  EXPECT_NEAR(sent / (sizeof(Complex) * std::max(1.0, in_columns + in_rows)), world().size() > 1 ? 1 : 0, 0.05);
}

TEST(ExactSum, DoesNotDependOnTheRanks) {
  const auto rank = static_cast<std::uint32_t>(world().rank());
  const auto ranks = static_cast<std::uint32_t>(world().size());
  ExactSum shared;
  ExactSum whole;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const double term = (hashed_value(i, 0, 0) - 0.1) * std::pow(10.0, i % 20 - 10.0);
    whole.add(term);
    if (i % ranks == rank) shared.add(term);
  }
  EXPECT_EQ(shared.total(world()), whole.total({}));
}

}  // namespace
}  // namespace multiwalk
