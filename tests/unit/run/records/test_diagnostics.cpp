// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnostics of bodies in files and JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "run/hdf5/hdf5_file.hpp"
#include "run/records/diagnostics.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

/// Every number another, none of them round.
std::vector<Diagnostics> some_rows() {
  std::vector<Diagnostics> rows(3);
  double number = 1;
  for (Diagnostics& row : rows) {
    row.time = number += 0.1;
    row.kinetic = number += 0.1;
    row.potential = -(number += 0.1);
    for (Vec3d* vector : {&row.momentum, &row.angular_momentum, &row.centre})
      for (int axis = 0; axis < 3; ++axis) (*vector)[axis] = number += 0.1;
    row.core_density = number += 0.1;
    row.density_radius = number += 0.1;
    row.core_radius = number += 0.1;
    for (double& radius : row.lagrangian_radius) radius = number += 0.1;
  }
  return rows;
}

TEST(DiagnosticsFile, HoldsARowForEachTime) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "diagnostics.hdf5";
  const std::vector<Diagnostics> rows = some_rows();
  for (const std::uint64_t count : {1, 3}) {
    write_diagnostics(path, count, [next = rows.begin()](std::span<Diagnostics> out) mutable {
      for (Diagnostics& row : out) row = *next++;
    });
  }
  const hdf5::File file = hdf5::File::open(path);
  const auto potential = file.read_dataset<double>("potential_energy"),
             angular_momentum = file.read_dataset<double>("angular_momentum", 3),
             radii = file.read_dataset<double>("lagrangian_radii", lagrangian_fractions.size());
  ASSERT_EQ(potential.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(potential[i], rows[i].potential);
    EXPECT_EQ(angular_momentum[3 * i + 1], rows[i].angular_momentum.y);
    EXPECT_EQ(radii[lagrangian_fractions.size() * i + 6], rows[i].lagrangian_radius[6]);
  }
}

TEST(DiagnosticsFile, IsLosslessAsJsonAndAsNumbers) {
  const std::vector<Diagnostics> rows = some_rows();
  const nlohmann::json json = to_json(rows[1]), again = nlohmann::json::parse(json.dump());
  EXPECT_EQ(to_json(diagnostics_from_json(again)), json);
  EXPECT_EQ(to_json(diagnostics_of(numbers_of(rows[1]))), json);
  EXPECT_EQ(diagnostics_names().size(), numbers_of(rows[1]).size());
  EXPECT_EQ(diagnostics_names()[4], "momentum_y");
  EXPECT_EQ(numbers_of(rows[1])[4], rows[1].momentum.y);
  EXPECT_EQ(diagnostics_names().back(), "lagrangian_radius_0.9");
  const nlohmann::json report = diagnostics_json(rows);
  EXPECT_EQ(report.at("core_radius").at(2), rows[2].core_radius);
  EXPECT_EQ(report.at("density_centre").at(1).at(2), rows[1].centre.z);
}

TEST(Diagnostics, MeasuresAPairOfBodies) {
  Bodies pair;
  pair.resize(2);
  pair.mass = {1, 3};
  pair.position = {{3, 0, 0}, {-1, 0, 0}};
  pair.velocity = {{0, 1.5, 0}, {0, -0.5, 0}};
  pair.potential = {-0.75, -0.25};
  const Diagnostics row = measure_diagnostics(pair, 2.5);
  EXPECT_EQ(row.time, 2.5);
  EXPECT_DOUBLE_EQ(row.energy().total(), 1.5 - 0.75);
  EXPECT_DOUBLE_EQ(row.angular_momentum.z, 6);
  EXPECT_EQ(norm(row.centre), 0);
  EXPECT_EQ(row.lagrangian_radius.back(), 3);
}

}  // namespace
}  // namespace multiwalk
