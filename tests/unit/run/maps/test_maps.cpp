// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/maps/grid_output.hpp"
#include "run/maps/plane_output.hpp"
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

TEST(Maps, AGridIsACubeWithTheMeshsValues) {
  const test::TemporaryDirectory directory;
  const Parameters parameters = with_maps(directory.path());
  GridOutput grids(parameters, {0.25, 0.5}, {});
  const ParticleSystem system = four_particles(0.5);
  EXPECT_FALSE(grids.due(0.4));
  ASSERT_TRUE(grids.due(0.5 * (1 + 1e-12)));
  EXPECT_EQ(grids.write({system, {}}).path, std::vector<std::string>{directory.path() + "/grid_001.hdf5"});
  EXPECT_EQ(grids.finish(), "density grids: wrote 1 files");
  const std::string path = directory.path() + "/grid_001.hdf5";
  const hdf5::File file = hdf5::File::open(path);
  const auto header = file.group("Header");
  EXPECT_EQ(header->number("Redshift"), 1);
  EXPECT_EQ(header->number("Mass"), 8);
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

TEST(Maps, FilesHaveNamesThatOverwriteKnows) {
  const test::TemporaryDirectory directory;
  const Parameters parameters = with_maps(directory.path());
  GridOutput(parameters, {0.5}, {}).write({four_particles(0.5), {}});
  EXPECT_EQ(PlaneOutput(parameters, {0.4, 0.5}, {}).write({four_particles(0.5), {}}).path.size(), 6U);
  const std::regex known("(" + std::string(GridOutput::files) + "|" + PlaneOutput::files + ")");
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
  for (const double time : {0.5, 1.0}) grids.write({four_particles(time), {}});
  for (int number = 0; number < 6; ++number) {
    const std::string name = "/grid_00" + std::to_string(number) + ".hdf5";
    EXPECT_EQ(std::filesystem::exists(directory.path() + name), number == 3 || number == 4) << name;
  }
}

TEST(Maps, WithoutADirectoryNothingIsWritten) {
  const test::TemporaryDirectory directory;
  const Parameters parameters = with_maps(directory.path() + "/none");
  EXPECT_THROW(GridOutput(parameters, {0.5}, {}).write({four_particles(0.5), {}}), SharedError);
  EXPECT_THROW(PlaneOutput(parameters, {0.5}, {}).write({four_particles(0.5), {}}), SharedError);
}

}  // namespace
}  // namespace multiwalk
