// SPDX-License-Identifier: GPL-3.0-or-later
// B-spline shares, conservation of mass, the faces of the box.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <vector>

#include "decomposition/mesh/density_mesh.hpp"
#include "host/base/error.hpp"
#include "tests/support/mesh_models.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

constexpr Assignment mesh_assignments[] = {Assignment::cic, Assignment::tsc, Assignment::pcs};

/// B-splines reproduce 1 and x; from the third order on x^2 but for a constant order/12.
template <int order>
void expect_moments() {
  for (const double place : {0.0, 0.25, 0.5, 1 - 1e-16, 3.7, 5.5, -0.3}) {
    const auto shares = cloud_shares<order>(place);
    double sum = 0, mean = 0, square = 0;
    for (int i = 0; i < order; ++i) {
      const double d = static_cast<double>(shares.first + i) - place;
      EXPECT_GE(shares.weight[i], -1e-16);
      EXPECT_LE(std::fabs(d), 0.5 * order + 1e-12) << order << " at " << place;
      sum += shares.weight[i];
      mean += d * shares.weight[i];
      square += d * d * shares.weight[i];
    }
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_NEAR(mean, 0, 1e-15);
    if (order > 2) {
      EXPECT_NEAR(square, order / 12.0, 1e-15);
    }
  }
}

TEST(CloudShares, HaveTheMomentsOfBSplines) {
  expect_moments<2>();
  expect_moments<3>();
  expect_moments<4>();
}

std::vector<double> values_of(const std::vector<Vec3d>& position, double box, const DensityOptions& options) {
  const std::vector<float> mass(position.size(), 2.5F);
  const PencilMesh mesh = density_mesh({position, mass, box}, 8, options);
  std::vector<double> values;
  test_models::for_each_value(mesh, [&](auto x, auto y, auto z) { values.push_back(mesh.value(x, y, z)); });
  return values;
}

TEST(DensityMesh, HasTheMeanDensity) {
  ParticleStore store = test::uniform_cube(3000);
  for (const Assignment assignment : mesh_assignments) {
    for (const std::uint32_t cells : {4U, 5U, 24U}) {
      const PencilMesh mesh = density_mesh({store.position, store.mass, 1}, cells, {assignment, 1, 0.5});
      double sum = 0;
      test_models::for_each_value(mesh, [&](auto x, auto y, auto z) { sum += mesh.value(x, y, z); });
      EXPECT_NEAR(sum / (cells * cells * cells), 1, 1e-10);
    }
  }
}

TEST(DensityMesh, ParticleOnAMeshPointGivesTheSplineItself) {
  const std::vector<double> cic = values_of({{3, 5, 7}}, 8, {Assignment::cic, 0, 0});
  const std::vector<double> pcs = values_of({{3, 5, 7}}, 8, {Assignment::pcs, 0, 0});
  const std::vector<double> tsc = values_of({{1.75, 5.25, 3.75}}, 8, {Assignment::tsc, 1, 0.5});  // at (3, 2, 7)
  const auto at = [](const std::vector<double>& v, std::size_t x, std::size_t y, std::size_t z) {
    return v[(x * 8 + y) * 8 + z] / 512;
  };
  EXPECT_NEAR(at(cic, 3, 5, 7), 1, 1e-12);
  EXPECT_NEAR(at(pcs, 3, 5, 7), 8.0 / 27, 1e-12);
  EXPECT_NEAR(at(pcs, 4, 5, 0), 1.0 / 6 * 2 / 3 * 1 / 6, 1e-12);
  EXPECT_NEAR(at(tsc, 3, 2, 7), 0.75 * 0.75 * 0.75, 1e-12);
  EXPECT_NEAR(at(tsc, 2, 2, 0), 0.125 * 0.75 * 0.125, 1e-12);
}

TEST(DensityMesh, FacesAreOnePlane) {
  for (const Assignment assignment : mesh_assignments) {
    for (const int fold : {0, 3}) {
      for (const double shift : {0.0, 0.5}) {
        const DensityOptions options{assignment, fold, shift};
        const std::vector<double> lower = values_of({{0, 1, 2}, {3, 0, 0}}, 10, options);
        EXPECT_EQ(lower, values_of({{10, 1, 2}, {3, 10, 10}}, 10, options));
        EXPECT_EQ(lower, values_of({{-20, 1, 2}, {3, 40, -10}}, 10, options));
        // A hair below a face: continuous.
        const std::vector<double> near = values_of({{-1e-300, 1, 2}, {3, std::nextafter(10.0, 0.0), 10}}, 10, options);
        for (std::size_t i = 0; i < near.size(); ++i) EXPECT_NEAR(near[i], lower[i], 1e-10);
      }
    }
  }
}

/// All about one edge where tiles of columns meet, so that threads that shared points would lose mass.
TEST(DensityMesh, IsTheSameForAnyNumberOfThreads) {
  ParticleStore store = test::uniform_cube(1000000);
  for (Vec3d& x : store.position) x = {0.25 + 0.06 * x.x, 0.25 + 0.06 * x.y, 0.5 + 0.1 * x.z};
  const int before = omp_get_max_threads();
  std::vector<PencilMesh> meshes;
  for (const int threads : {1, 4}) {
    omp_set_num_threads(threads);
    meshes.push_back(density_mesh({store.position, store.mass, 1}, 32, {Assignment::pcs}));
  }
  omp_set_num_threads(before);
  test_models::for_each_value(
      meshes[0], [&](auto x, auto y, auto z) { ASSERT_EQ(meshes[0].value(x, y, z), meshes[1].value(x, y, z)); });
}

TEST(DensityMesh, RefusesWhatIsNoDensity) {
  const std::vector<Vec3d> position{{1, 2, 3}};
  const std::vector<float> mass{1}, none{0}, negative{-1};
  const std::vector<Vec3d> lost{{1, std::numeric_limits<double>::quiet_NaN(), 3}};
  EXPECT_THROW(density_mesh({position, mass, 0}, 8), InputError);
  EXPECT_THROW(density_mesh({position, mass, 10}, 3), InputError);
  EXPECT_THROW(density_mesh({position, none, 10}, 8), InputError);
  EXPECT_THROW(density_mesh({position, negative, 10}, 8), InputError);
  EXPECT_THROW(density_mesh({lost, mass, 10}, 8), InputError);
  EXPECT_THROW(density_mesh({{}, {}, 10}, 8), InputError);
}

}  // namespace
}  // namespace multiwalk
