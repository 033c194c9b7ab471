// SPDX-License-Identifier: GPL-3.0-or-later
#include <fitsio.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <regex>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/maps/grid_output.hpp"
#include "run/maps/plane_output.hpp"
#include "tests/support/sky/flat_universe.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

ParticleSystem four_particles(double a) {
  ParticleSystem system;
  system.frame = Frame::comoving;
  system.boundary = Boundary::periodic;
  system.box_size = 40;
  system.time = a;
  system.particles.resize(4);
  const Vec3d places[]{{10, 20, 30}, {12.5, 0, 0}, {39, 39, 39}, {1, 2, 3}};
  for (std::size_t i = 0; i < 4; ++i) {
    system.particles.position[i] = places[i];
    system.particles.mass[i] = 2;
  }
  return system;
}

Parameters with_maps(const std::string& directory) {
  Parameters parameters;
  parameters.run.directory = directory;
  parameters.model.box_size = 40;
  parameters.grids.cells = 8;
  parameters.planes.pixels = 8;
  parameters.planes.slabs = 2;
  return parameters;
}

/// The paths of the files that an output makes of these particles.
std::vector<std::string> write_maps(Output& maps, const ParticleSystem& system) {
  const Communicator alone;
  const Parameters unused;
  return maps.write({.comm = alone, .parameters = unused, .particles = system});
}
std::vector<std::string> write_maps(Output&& maps, const ParticleSystem& system) {
  return write_maps(maps, system);
}

TEST(Maps, AGridIsACubeWithTheMeshsValues) {
  const test::TemporaryDirectory directory;
  const Parameters parameters = with_maps(directory.path());
  GridOutput grids(parameters, {0.25, 0.5}, {});
  const ParticleSystem system = four_particles(0.5);
  EXPECT_FALSE(grids.due(0.4));
  ASSERT_TRUE(grids.due(0.5 * (1 + 1e-12)));
  EXPECT_EQ(write_maps(grids, system), std::vector<std::string>{directory.path() + "/grid_001.hdf5"});
  EXPECT_EQ(grids.finish(), "density grids: wrote 1 files");
  const std::string path = directory.path() + "/grid_001.hdf5";
  const hdf5::File file = hdf5::File::open(path);
  const auto header = file.group("Header");
  EXPECT_EQ(header->number("Redshift"), 1);
  EXPECT_EQ(header->number("Mass"), 8);
  EXPECT_EQ(header->number("Time"), 0.5);
  EXPECT_EQ(header->number("BoxSize"), 40);
  EXPECT_EQ(header->number("Cells"), 8);
  EXPECT_EQ(header->number("Omega0"), 0.3111);
  EXPECT_EQ(header->number("OmegaLambda"), 0.6889);
  EXPECT_EQ(header->number("HubbleParam"), 0.6766);
  EXPECT_EQ(header->number("w0"), -1);
  EXPECT_EQ(header->number("wa"), 0);
  EXPECT_EQ(header->text("Assignment"), "cic");
  const hdf5::Handle set(H5Dopen2(file.id(), "Density", H5P_DEFAULT), H5Dclose);
  const hdf5::Handle space(H5Dget_space(set.get()), H5Sclose);
  ASSERT_EQ(H5Sget_simple_extent_ndims(space.get()), 3);
  std::vector<float> values(512);
  ASSERT_GE(H5Dread(set.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  const auto at = [&](std::size_t x, std::size_t y, std::size_t z) { return values[(x * 8 + y) * 8 + z]; };
  EXPECT_EQ(at(2, 4, 6), 128);  // a particle on a mesh point: 512 / 4
  EXPECT_EQ(at(2, 0, 0), 64);   // half of the second
  const PencilMesh mesh =
      density_mesh({system.particles.position, system.particles.mass, 40}, 8, {.assignment = Assignment::cic});
  for (std::uint32_t x = 0; x < 8; ++x) {
    for (std::uint32_t y = 0; y < 8; ++y) {
      for (std::uint32_t z = 0; z < 8; ++z) EXPECT_EQ(at(x, y, z), static_cast<float>(mesh.value(x, y, z)));
    }
  }
}

/// The image and header of a lens plane.
struct PlaneFile {
  std::vector<double> pixel;
  std::map<std::string, double> header;

  explicit PlaneFile(const std::string& path) {
    fitsfile* file = nullptr;
    int status = 0;
    fits_open_image(&file, path.c_str(), READONLY, &status);
    for (const char* name :
         {"NAXIS1", "NAXIS2", "H0", "H", "OMEGA_M", "OMEGA_L", "W0", "WA", "Z", "CHI", "SIDE", "ANGLE", "NPART"}) {
      fits_read_key(file, TDOUBLE, name, &header[name], nullptr, &status);
    }
    pixel.resize(static_cast<std::size_t>(header["NAXIS1"] * header["NAXIS2"]));
    fits_read_img(file, TDOUBLE, 1, static_cast<LONGLONG>(pixel.size()), nullptr, pixel.data(), nullptr, &status);
    fits_close_file(file, &status);
    EXPECT_EQ(status, 0) << path;
  }
};

/// Two particles of four are in the slab 0 <= z < 20, on the places of pixels 5 Mpc/h wide.
TEST(Maps, APlaneIsTheConvergenceOfItsSlab) {
  const test::TemporaryDirectory directory;
  Parameters parameters = with_maps(directory.path());
  parameters.cosmology.omega_m = 0.3, parameters.cosmology.omega_lambda = 0.7, parameters.cosmology.h = 0.68;
  ParticleSystem system = four_particles(0.5);
  const Vec3d places[]{{12.5, 22.5, 3}, {37.5, 2.5, 19}, {1, 2, 20}, {3, 4, 39}};
  std::ranges::copy(places, system.particles.position.begin());
  write_maps(PlaneOutput(parameters, {0.5}, {}), system);
  const PlaneFile plane(directory / "snap0_densityPlane0_normal2.fits");
  const double chi = test::FlatUniverse{0.3}.distance(0.5);
  const std::map<std::string, double> expected{
      {"NAXIS1", 8}, {"NAXIS2", 8}, {"H0", 68}, {"H", 0.68},  {"OMEGA_M", 0.3}, {"OMEGA_L", 0.7},
      {"W0", -1},    {"WA", 0},     {"Z", 1},   {"CHI", chi}, {"SIDE", 40},     {"ANGLE", 40 / chi * 57.29577951308232},
      {"NPART", 2}};
  for (const auto& [name, value] : plane.header) {
    EXPECT_NEAR(value, expected.at(name), 1e-7 * std::fabs(expected.at(name))) << name;
  }
  const double unit = 1.5 * 0.3 / std::pow(test::FlatUniverse::light_over_hubble, 2) * chi * 20 / 0.5;
  ASSERT_EQ(plane.pixel.size(), 64U);
  for (std::size_t x = 0; x < 8; ++x) {
    for (std::size_t y = 0; y < 8; ++y) {
      const bool filled = (x == 2 && y == 4) || (x == 7 && y == 0);  // a quarter of all mass on a 128th of the box
      EXPECT_NEAR(plane.pixel[x * 8 + y], unit * (filled ? 31 : -1), 1e-6 * unit) << x << " " << y;
    }
  }
}

/// Two slabs of which one has all mass: on average their convergence is 1 and -1 times that of a mean slab.
TEST(Maps, PlanesHaveTheMeanOfTheBoxSubtracted) {
  const test::TemporaryDirectory directory;
  Parameters parameters = with_maps(directory.path());
  parameters.planes.normals = {0};
  ParticleSystem system = four_particles(0.8);
  for (Vec3d& place : system.particles.position) place.x = 25;
  write_maps(PlaneOutput(parameters, {0.8}, {}), system);
  const auto mean = [&](const char* name) {
    const PlaneFile plane(directory / name);
    return std::accumulate(plane.pixel.begin(), plane.pixel.end(), 0.0) / 64;
  };
  const double chi = test::FlatUniverse{0.3111}.distance(0.8);
  const double unit = 1.5 * 0.3111 / std::pow(test::FlatUniverse::light_over_hubble, 2) * chi * 20 / 0.8;
  EXPECT_NEAR(mean("snap0_densityPlane0_normal0.fits"), -unit, 1e-6 * unit);
  EXPECT_NEAR(mean("snap0_densityPlane1_normal0.fits"), unit, 1e-6 * unit);
}

TEST(Maps, FilesHaveNamesThatOverwriteKnows) {
  const test::TemporaryDirectory directory;
  const Parameters parameters = with_maps(directory.path());
  write_maps(GridOutput(parameters, {0.5}, {}), four_particles(0.5));
  EXPECT_EQ(write_maps(PlaneOutput(parameters, {0.4, 0.5}, {}), four_particles(0.5)).size(), 6U);
  const std::regex known("(" + std::string(GridOutput::files) + "|" + std::string(PlaneOutput::files) + ")");
  int found = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory.path())) {
    EXPECT_TRUE(std::regex_match(file.path().filename().string(), known)) << file.path();
    ++found;
  }
  EXPECT_EQ(found, 1 + 6);
  EXPECT_TRUE(std::filesystem::exists(directory.path() + "/snap1_densityPlane1_normal2.fits"));
}

/// A restart that asks for other times.
TEST(Maps, FilesOfEarlierTimesAreKept) {
  const test::TemporaryDirectory directory;
  const Parameters parameters = with_maps(directory.path());
  GridOutput grids(parameters, {0.5, 1}, {}, 3);
  for (const double time : {0.5, 1.0}) write_maps(grids, four_particles(time));
  for (int number = 0; number < 6; ++number) {
    const std::string name = "/grid_00" + std::to_string(number) + ".hdf5";
    EXPECT_EQ(std::filesystem::exists(directory.path() + name), number == 3 || number == 4) << name;
  }
}

TEST(Maps, WithoutADirectoryNothingIsWritten) {
  const test::TemporaryDirectory directory;
  const Parameters parameters = with_maps(directory.path() + "/none");
  EXPECT_THROW(write_maps(GridOutput(parameters, {0.5}, {}), four_particles(0.5)), SharedError);
  EXPECT_THROW(write_maps(PlaneOutput(parameters, {0.5}, {}), four_particles(0.5)), SharedError);
}

}  // namespace
}  // namespace multiwalk
