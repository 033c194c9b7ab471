// SPDX-License-Identifier: GPL-3.0-or-later
// The projected map conserves mass, repeats on any number of threads, puts mass where it belongs and survives bad
// input.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "analysis/pictures/local_spacing.hpp"
#include "analysis/pictures/projection.hpp"
#include "analysis/pictures/render_image.hpp"
#include "host/base/error.hpp"

namespace multiwalk {
namespace {

struct TestCloud {
  std::vector<Vec3d> position;
  std::vector<float> mass;
};

/// A smooth background with a dense clump, some of it outside the unit region.
TestCloud clumpy_cloud(std::size_t n) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-0.1, 1.1);
  std::normal_distribution<double> normal(0, 0.01);
  TestCloud cloud;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 3 == 0) {
      cloud.position.push_back({0.3 + normal(random), 0.6 + normal(random), 0.5 + normal(random)});
    } else {
      cloud.position.push_back({uniform(random), uniform(random), uniform(random)});
    }
    cloud.mass.push_back(0.5F + static_cast<float>(i % 5));
  }
  return cloud;
}

ProjectionOptions unit_region(std::uint32_t pixels) {
  ProjectionOptions options;
  options.region = {{0, 0, 0}, {1, 1, 1}};
  options.pixels = pixels;
  return options;
}

double mass_of(const SurfaceDensity& density) {
  const double pixel = density.extent_x / density.width;
  return std::accumulate(density.value.begin(), density.value.end(), 0.0) * pixel * pixel;
}

TEST(Projection, ConservesTheMassInsideTheRegion) {
  const TestCloud cloud = clumpy_cloud(20000);
  for (const std::uint32_t pixels : {37U, 256U}) {
    for (int axis = 0; axis < 3; ++axis) {
      ProjectionOptions options = unit_region(pixels);
      options.axis = axis;
      double inside = 0;
      for (std::size_t i = 0; i < cloud.mass.size(); ++i) {
        if (options.region.contains(cloud.position[i])) inside += cloud.mass[i];
      }
      const SurfaceDensity density = project_density(cloud.position, cloud.mass, options);
      EXPECT_NEAR(mass_of(density), inside, 1e-6 * inside) << pixels << " pixels, axis " << axis;
    }
  }
}

TEST(Projection, SameForAnyNumberOfThreads) {
  const TestCloud cloud = clumpy_cloud(30000);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const SurfaceDensity one = project_density(cloud.position, cloud.mass, unit_region(200));
  omp_set_num_threads(5);
  const SurfaceDensity five = project_density(cloud.position, cloud.mass, unit_region(200));
  omp_set_num_threads(threads);
  EXPECT_EQ(one.value, five.value);
}

/// Mass-weighted mean column and row.
std::pair<double, double> centroid(const SurfaceDensity& density) {
  double sum = 0, column = 0, row = 0;
  for (std::uint32_t r = 0; r < density.height; ++r) {
    for (std::uint32_t c = 0; c < density.width; ++c) {
      const double v = density.value[std::size_t{r} * density.width + c];
      sum += v;
      column += v * (c + 0.5);
      row += v * (r + 0.5);
    }
  }
  return {column / sum, row / sum};
}

TEST(Projection, PutsMassWhereItIsWithTheSecondCoordinateUp) {
  const std::vector<float> mass(4000, 1);
  std::vector<Vec3d> clump(4000);
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal(0, 0.003);
  for (Vec3d& x : clump) x = {0.25 + normal(random), 0.75 + normal(random), 0.4 + normal(random)};
  const double expected[3][2] = {{75, 60}, {40, 75}, {25, 25}};
  for (int axis = 0; axis < 3; ++axis) {
    ProjectionOptions options = unit_region(100);
    options.axis = axis;
    const auto [column, row] = centroid(project_density(clump, mass, options));
    EXPECT_NEAR(column, expected[axis][0], 0.15);
    EXPECT_NEAR(row, expected[axis][1], 0.15);
  }
}

/// Relative scatter of the pixels in the middle half of the map.
double scatter(const SurfaceDensity& density) {
  double sum = 0, square = 0, count = 0;
  for (std::uint32_t row = density.height / 4; row < 3 * density.height / 4; ++row) {
    for (std::uint32_t column = density.width / 4; column < 3 * density.width / 4; ++column) {
      const double v = density.value[std::size_t{row} * density.width + column];
      sum += v;
      square += v * v;
      ++count;
    }
  }
  return std::sqrt(square / count / (sum / count * sum / count) - 1);
}

TEST(Projection, SparseSamplingIsSmooth) {
  // One particle in 16 pixels: the map must show the density, not the particles (which alone would scatter by 4).
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform;
  std::vector<Vec3d> position(4096);
  for (Vec3d& x : position) x = {uniform(random), uniform(random), uniform(random)};
  EXPECT_LT(scatter(project_density(position, std::vector<float>(4096, 1), unit_region(256))), 0.13);
}

TEST(Projection, LatticeIsInvisible) {
  std::vector<Vec3d> lattice;
  for (int i = 0; i < 22 * 22 * 22; ++i) {
    lattice.push_back({(i % 22 + 0.5) / 22, (i / 22 % 22 + 0.5) / 22, (i / 484 + 0.5) / 22});
  }
  const std::vector<float> mass(lattice.size(), 1);
  for (const std::uint32_t pixels : {175U, 250U}) {
    EXPECT_LT(scatter(project_density(lattice, mass, unit_region(pixels))), 0.034) << pixels;
  }
}

/// Each factor of two in the size of a picture pads it differently.
TEST(Projection, HasNoSeams) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0, 0.25);
  std::vector<Vec3d> position(3000);
  for (Vec3d& x : position) x = {0.7 + normal(random), 0.3 + normal(random), 0.5 + normal(random)};
  const std::vector<float> mass(position.size(), 1);
  for (const std::uint32_t pixels : {90U, 200U, 261U, 400U}) {
    const SurfaceDensity map = project_density(position, mass, unit_region(pixels));
    const auto largest_jump = [&](bool columns) {
      double largest = 0;
      for (std::uint32_t line = 1; line < pixels; ++line) {
        double jump = 0, sum = 0;
        for (std::uint32_t along = 0; along < pixels; ++along) {
          const std::size_t here = columns ? std::size_t{along} * pixels + line : std::size_t{line} * pixels + along;
          const std::size_t before = columns ? here - 1 : here - pixels;
          jump += map.value[here] - map.value[before];
          sum += map.value[here] + map.value[before];
        }
        largest = std::max(largest, std::fabs(jump) / sum);
      }
      return largest * pixels / 90;
    };
    EXPECT_LT(largest_jump(true), 0.05) << pixels;
    EXPECT_LT(largest_jump(false), 0.05) << pixels;
  }
}

TEST(Projection, SpacingIsTheSameNearTheUpperFaces) {
  std::vector<Vec3d> position;
  for (int i = 0; i < 43 * 43 * 43; ++i) {
    position.push_back({(i % 43 + 0.5) / 43, (i / 43 % 43 + 0.5) / 43, (i / 1849 + 0.5) / 43});
  }
  const LocalSpacing spacing(position, {{0, 0, 0}, {1, 0.27, 0.55}}, 1.0 / 13);
  for (const Vec3d x :
       {Vec3d{0.02, 0.02, 0.02}, Vec3d{0.98, 0.2, 0.3}, Vec3d{0.5, 0.26, 0.3}, Vec3d{0.99, 0.26, 0.54}}) {
    EXPECT_NEAR(spacing.at(x), 1.0 / 43, 0.1 / 43);
  }
}

TEST(Projection, LocalSpacingFollowsTheDensity) {
  std::vector<Vec3d> position;
  for (int i = 0; i < 40 * 40 * 40; ++i) {
    position.push_back({(i % 40 + 0.5) / 40, (i / 40 % 40 + 0.5) / 40, (i / 1600 + 0.5) / 40});
  }
  const LocalSpacing spacing(position, unit_region(1).region, 0.001);
  EXPECT_NEAR(spacing.mean(), 1.0 / 40, 1e-6);
  for (const Vec3d x : {Vec3d{0.5, 0.5, 0.5}, Vec3d{0.31, 0.77, 0.2}, Vec3d{0.13, 0.9, 0.41}}) {
    EXPECT_NEAR(spacing.at(x), 1.0 / 40, 0.2 / 40);
  }
}

TEST(Projection, SurvivesBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const SurfaceDensity empty = project_density({}, {}, unit_region(50));
  EXPECT_EQ(mass_of(empty), 0);
  EXPECT_EQ(render(empty, {"Mpc/h", "nothing"}).rgb.size(), 3U * 50 * 50);

  const std::vector<Vec3d> position{{0.5, 0.5, 0.5}, {nan, 0.5, 0.5}, {0.5, infinity, 0.5}, {0.2, 0.2, 0.2}};
  const std::vector<float> mass{2, 1, 1, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_NEAR(mass_of(project_density(position, mass, unit_region(50))), 2, 1e-6);

  ProjectionOptions options = unit_region(50);
  options.region = Box{};
  EXPECT_EQ(project_density(position, mass, options).value.size(), 2500U);
  options.region = {{0, 0, 0}, {nan, 1, 1}};
  EXPECT_EQ(project_density(position, mass, options).value.size(), 2500U);
  options.region = {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}};
  EXPECT_NEAR(mass_of(project_density(position, mass, options)), 2, 1e-6);
  EXPECT_THROW(project_density(position, mass, unit_region(0)), InputError);
}

TEST(Projection, CoincidentParticlesAreOneSpot) {
  const std::vector<Vec3d> position(10000, Vec3d{0.5, 0.5, 0.5});
  const std::vector<float> mass(10000, 1);
  const SurfaceDensity density = project_density(position, mass, unit_region(101));
  EXPECT_NEAR(mass_of(density), 1e4, 1e-2);
  EXPECT_GT(density.value[50 * 101 + 50] / (101.0 * 101.0), 0.5 * 1e4);
}

}  // namespace
}  // namespace multiwalk
