// SPDX-License-Identifier: GPL-3.0-or-later
// Files that cannot be trusted are refused with one line that names file and fault.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

using test::edit;
using test::expect_refused;
using test::put;
using test::random_system;
using test::read_bytes;
using test::replace_attribute;
using test::TemporaryDirectory;
using test::write_bytes;

class SnapshotFaults : public ::testing::Test {
 protected:
  /// A fresh good file of ten particles, changed.
  void damage(const std::function<void(const hdf5::Object&)>& change, bool equal_masses = true) {
    write_snapshot(directory_ / "s", random_system(10, equal_masses), {}, {});
    edit(path_, change);
  }
  template <class T>
  void damage_header(const std::string& name, const std::vector<T>& values) {
    damage([&](const hdf5::Object& file) { replace_attribute(file, "Header", name, values); });
  }
  template <class T>
  void damage_data(const std::string& name, std::uint64_t columns, const std::function<void(std::vector<T>&)>& change) {
    damage(
        [&](const hdf5::Object& file) {
          const auto group = file.group("PartType1");
          std::vector<T> values = group->read_dataset<T>(name, columns);
          change(values);
          put(*group, name, columns, values);
        },
        false);
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_ / "s.hdf5";
};

TEST_F(SnapshotFaults, NotASnapshot) {
  expect_refused(directory_ / "none.hdf5", "No such file");
  expect_refused(directory_.path(), "is a directory");
  write_bytes(path_, "Gadget format 1 is no HDF5");
  expect_refused(path_, "not an HDF5 file");
  write_bytes(path_, "");
  expect_refused(path_, "not an HDF5 file");
  hdf5::File::create(path_).close();
  expect_refused(path_, "no /Header");
}

TEST_F(SnapshotFaults, TruncatedAnywhere) {
  write_snapshot(directory_ / "s", random_system(10), {}, {});
  const std::string good = read_bytes(path_);
  for (std::size_t length = 0; length < good.size(); length += 97) {
    write_bytes(path_, good.substr(0, length));
    EXPECT_THROW(read_snapshot(path_), InputError) << length;
  }
}

/// A flipped bit is either found or in a byte that nothing depends on.
TEST_F(SnapshotFaults, FlippedBits) {
  const ParticleSystem system = random_system(10, false);
  write_snapshot(directory_ / "s", system, {}, {});
  const SnapshotInfo truth = read_snapshot(path_);
  const std::string good = read_bytes(path_);
  std::size_t found = 0, harmless = 0;
  for (std::size_t i = 0; i < good.size(); i += 37) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    write_bytes(path_, bad);
    try {
      const SnapshotInfo info = read_snapshot(path_);
      ++harmless;
      EXPECT_EQ(info.system.particles.position, truth.system.particles.position) << "byte " << i;
      EXPECT_EQ(info.system.particles.velocity, truth.system.particles.velocity) << "byte " << i;
      EXPECT_EQ(info.system.particles.mass, truth.system.particles.mass) << "byte " << i;
      EXPECT_EQ(info.system.particles.id, truth.system.particles.id) << "byte " << i;
      EXPECT_EQ(info.system.time, truth.system.time) << "byte " << i;
      EXPECT_EQ(info.system.box_size, truth.system.box_size) << "byte " << i;
    } catch (const InputError& error) {
      ++found;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(found, harmless / 20);
  RecordProperty("found", static_cast<int>(found));
  RecordProperty("harmless", static_cast<int>(harmless));
}

TEST_F(SnapshotFaults, EveryFlippedBitOfTheDataIsFound) {
  ParticleSystem system = random_system(500, false);
  write_snapshot(directory_ / "s", system, {}, {});
  const std::string good = read_bytes(path_);
  const hsize_t bytes[] = {12000, 6000, 4000, 2000, 2000};
  const char* names[] = {"Coordinates", "Velocities", "ParticleIDs", "Masses", "Potential"};
  for (int k = 0; k < 5; ++k) {
    haddr_t start = HADDR_UNDEF;
    {
      const hdf5::File file = hdf5::File::open(path_);
      const hdf5::Handle dataset(H5Dopen2(file.group("PartType1")->id(), names[k], H5P_DEFAULT), H5Dclose);
      unsigned mask = 0;
      hsize_t offset[2], size = 0;
      const hdf5::Handle space(H5Dget_space(dataset.get()), H5Sclose);
      ASSERT_GE(H5Dget_chunk_info(dataset.get(), space.get(), 0, offset, &mask, &start, &size), 0);
      ASSERT_EQ(size, bytes[k] + 4);
    }
    for (hsize_t i = 0; i < bytes[k]; i += 331) {
      std::string bad = good;
      bad[start + i] = static_cast<char>(bad[start + i] ^ 1);
      write_bytes(path_, bad);
      expect_refused(path_, names[k]);
    }
    write_bytes(path_, good);
  }
}

TEST_F(SnapshotFaults, CountsOfTheHeader) {
  using Counts = std::vector<std::uint64_t>;
  damage_header("NumPart_Total", Counts{0, 0, 0, 0, 0, 0});
  expect_refused(path_, "no particles");
  for (const std::uint64_t count :
       {std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{9}}) {
    damage_header("NumPart_Total", Counts{0, count, 0, 0, 0, 0});
    expect_refused(path_, "NumPart_T");
    damage([&](const hdf5::Object& file) {
      replace_attribute(file, "Header", "NumPart_Total", Counts{0, count, 0, 0, 0, 0});
      replace_attribute(file, "Header", "NumPart_ThisFile", Counts{0, count, 0, 0, 0, 0});
    });
    expect_refused(path_, "the header counts");
  }
  damage_header("NumPart_ThisFile", Counts{0, 0, 0, 0, 0, 0});
  expect_refused(path_, "NumPart_ThisFile");
  damage_header("NumPart_Total", Counts{5, 10, 0, 0, 0, 0});
  expect_refused(path_, "type 0");
  damage_header("NumPart_Total", Counts{10});
  expect_refused(path_, "NumPart_Total");
  damage_header("NumPart_Total", std::vector<double>{0, 10, 0, 0, 0, 0});
  expect_refused(path_, "NumPart_Total");
  damage_header("NumPart_Total_HighWord", std::vector<std::uint32_t>{0, 1, 0, 0, 0, 0});
  expect_refused(path_, "NumPart_T");
  damage_header("NumFilesPerSnapshot", std::vector<std::int32_t>{0});
  expect_refused(path_, "NumFilesPerSnapshot");
  damage_header("NumFilesPerSnapshot", std::vector<std::int32_t>{2});
  expect_refused(path_, "one of 2 files");
}

/// Extents that agree with the counts but have nothing behind them must not make the reader ask for 2^40 particles'
/// memory.
TEST_F(SnapshotFaults, HugeEmptyDatasets) {
  const std::uint64_t n = std::uint64_t{1} << 40;
  damage([&](const hdf5::Object& file) {
    replace_attribute(file, "Header", "NumPart_Total", std::vector<std::uint64_t>{0, n, 0, 0, 0, 0});
    replace_attribute(file, "Header", "NumPart_ThisFile", std::vector<std::uint64_t>{0, n, 0, 0, 0, 0});
    const auto group = file.group("PartType1");
    for (const char* name : {"Coordinates", "Velocities", "ParticleIDs", "Potential"}) {
      ASSERT_GE(H5Ldelete(group->id(), name, H5P_DEFAULT), 0);
      const bool vector = name[0] == 'C' || name[0] == 'V';
      const hsize_t extent[] = {n, 3}, chunk[] = {1024, 3};
      const hdf5::Handle space(H5Screate_simple(vector ? 2 : 1, extent, nullptr), H5Sclose);
      const hdf5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      ASSERT_GE(H5Pset_chunk(properties.get(), vector ? 2 : 1, chunk), 0);
      const hid_t type = name[1] == 'a' ? H5T_NATIVE_UINT64 : H5T_NATIVE_FLOAT;
      const hdf5::Handle dataset(
          H5Dcreate2(group->id(), name, type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Dclose);
      ASSERT_GE(dataset.get(), 0);
    }
  });
  expect_refused(path_, "never written");
}

TEST_F(SnapshotFaults, AttributesOfTheHeader) {
  const double nan = std::nan("");
  for (const double bad : {nan, -1.0, 0.0, std::numeric_limits<double>::infinity()}) {
    damage_header("BoxSize", std::vector<double>{bad});
    expect_refused(path_, "BoxSize");
    damage_header("HubbleParam", std::vector<double>{bad});
    expect_refused(path_, "HubbleParam");
    damage_header("Time", std::vector<double>{bad});
    expect_refused(path_, "Time");
  }
  damage_header("Time", std::vector<double>{0.5});
  expect_refused(path_, "disagree");
  damage_header("MassTable", std::vector<double>{0, -1, 0, 0, 0, 0});
  expect_refused(path_, "MassTable");
  damage_header("MassTable", std::vector<double>{0, nan, 0, 0, 0, 0});
  expect_refused(path_, "MassTable");
  damage_header("MassTable", std::vector<double>{0, 0, 0, 0, 0, 0});
  expect_refused(path_, "Masses is missing");
  damage([](const hdf5::Object& file) { H5Adelete(file.group("Header")->id(), "Time"); });
  expect_refused(path_, "Time");
  damage([](const hdf5::Object& file) {
    H5Ldelete(file.id(), "Parameters", H5P_DEFAULT);
    H5Ldelete(file.id(), "Units", H5P_DEFAULT);
  });
  expect_refused(path_, "UnitLength_in_cm");
}

TEST_F(SnapshotFaults, Values) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    damage_data<double>("Coordinates", 3, [&](auto& x) { x[17] = bad; });
    expect_refused(path_, "Coordinates");
    damage_data<double>("Velocities", 3, [&](auto& v) { v[29] = bad; });
    expect_refused(path_, "Velocities");
    damage_data<double>("Masses", 1, [&](auto& m) { m[0] = bad; });
    expect_refused(path_, "Masses");
  }
  damage_data<float>("Masses", 1, [](auto& m) { m[9] = -1; });
  expect_refused(path_, "negative mass");
  damage_data<float>("Masses", 1, [](auto& m) { m[9] = 0; });
  EXPECT_EQ(read_snapshot(path_).system.particles.mass[9], 0);
  damage_data<std::uint64_t>("ParticleIDs", 1, [](auto& id) { id[3] = id[8]; });
  expect_refused(path_, "not unique");
  const ParticleStore repeated = read_snapshot(path_, {}, {}, RepeatedIds::warned_of).system.particles;
  EXPECT_EQ(repeated.id[3], repeated.id[8]);
  damage_data<std::uint64_t>("ParticleIDs", 1, [](auto& id) { id.pop_back(); });
  expect_refused(path_, "ParticleIDs has shape");
  damage_data<double>("Coordinates", 3, [](auto& x) { x.resize(33); });
  expect_refused(path_, "Coordinates has shape");
  damage(
      [](const hdf5::Object& file) { put(*file.group("PartType1"), "Coordinates", 3, std::vector<std::int32_t>(30)); });
  expect_refused(path_, "not real numbers");
  damage([](const hdf5::Object& file) { H5Ldelete(file.id(), "PartType1/Velocities", H5P_DEFAULT); });
  expect_refused(path_, "Velocities is missing");
  damage([](const hdf5::Object& file) { H5Ldelete(file.id(), "PartType1", H5P_DEFAULT); });
  expect_refused(path_, "/PartType1");
}

TEST_F(SnapshotFaults, SetsOfFiles) {
  SnapshotOptions options;
  options.files = 3;
  const ParticleSystem system = random_system(10);
  auto paths = write_snapshot(directory_ / "s", system, {}, options);
  std::filesystem::remove(paths[1]);
  EXPECT_THROW(read_snapshot(paths[0]), InputError);
  std::filesystem::copy(paths[0], paths[1]);
  EXPECT_THROW(read_snapshot(paths[0]), InputError);
  ParticleSystem later = system;
  later.time = 0.5;
  write_snapshot(directory_ / "t", later, {}, options);
  std::filesystem::copy(directory_ / "t.1.hdf5", paths[1], std::filesystem::copy_options::overwrite_existing);
  try {
    read_snapshot(paths[0]);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(paths[1] + ": does not belong"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace multiwalk
