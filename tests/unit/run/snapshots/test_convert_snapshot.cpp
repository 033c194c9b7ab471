// SPDX-License-Identifier: GPL-3.0-or-later
// Conversions between formats: numbers that keep unit and precision keep their bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <tuple>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/snapshots/convert_snapshot.hpp"
#include "run/snapshots/snapshot.hpp"
#include "tests/support/gadget_bytes.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

using test::GadgetBytes;
using test::TemporaryDirectory;
namespace fs = std::filesystem;

Unsaid units_in(const std::string& length) {
  return Unsaid::of(
      std::vector<std::string>{"model.units={length=\"" + length + "\", mass=\"1e10 Msun/h\", velocity=\"km/s\"}"});
}

/// Random numbers with all bits in use; types 1 (mass in the table) and 2 (masses of their own).
GadgetBytes random_file(bool doubles) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  GadgetBytes file;
  file.doubles = doubles;
  file.long_ids = true;
  const double mass = 0.3 * 27.7536627 * 1e6 / 100;
  for (const int type : {1, 2}) {
    GadgetBytes::Particles p;
    p.type = type;
    for (int i = 0; i < 50; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        p.x.push_back(100 * uniform(random));
        p.v.push_back(1000 * uniform(random) - 500);
      }
      p.id.push_back((std::uint64_t{1} << 40) + 100 * type + i);
      if (type == 2) p.mass.push_back(mass * (0.99 + 0.02 * uniform(random)));
    }
    if (type == 1) p.table = mass;
    file.particles.push_back(p);
  }
  return file;
}

void save_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The particles' records, without the header.
std::string data_of(const std::string& path) {
  return read_whole_file(path).substr(264);
}

TEST(ConvertSnapshot, GadgetFilesKeepTheirBits) {
  const TemporaryDirectory directory;
  for (const bool doubles : {false, true}) {
    save_bytes(directory / "a", random_file(doubles).make());
    convert_snapshot({directory / "a", directory / "b", FileFormat::gadget2, {}, units_in("Mpc/h")});
    convert_snapshot({directory / "b", directory / "c.hdf5", FileFormat::hdf5, {}, units_in("Mpc/h")});
    EXPECT_EQ(convert_snapshot({directory / "c.hdf5", directory / "d", FileFormat::gadget1, {}, {}}), 100U);
    EXPECT_EQ(data_of(directory / "a"), data_of(directory / "d"));
    EXPECT_FALSE(fs::exists(directory / "d.partial"));
  }
}

/// Through SWIFT's units and back in double precision every single-precision number returns.
TEST(ConvertSnapshot, ThroughSwiftAndBack) {
  const TemporaryDirectory directory;
  GadgetBytes made = random_file(false);
  made.box = 1e5;
  for (GadgetBytes::Particles& p : made.particles)
    for (double& x : p.x) x *= 1000;
  save_bytes(directory / "a", made.make());
  convert_snapshot({directory / "a", directory / "s.hdf5", FileFormat::swift, 8U, units_in("kpc/h")});
  const SnapshotInfo swift = read_snapshot(directory / "s.hdf5");
  EXPECT_EQ(swift.layout, "swift");
  EXPECT_DOUBLE_EQ(swift.system.box_size, 100);
  EXPECT_EQ(swift.cosmology.h, 0.7);
  convert_snapshot({directory / "s.hdf5", directory / "b", FileFormat::gadget1, 4U, {}});
  EXPECT_EQ(data_of(directory / "a"), data_of(directory / "b"));
}

TEST(ConvertSnapshot, OwnSnapshotsIncluded) {
  const TemporaryDirectory directory;
  SnapshotOptions options;
  options.files = 3;
  const auto paths = write_snapshot(directory / "s", test::random_system(100, false, Boundary::periodic), {}, options);
  const SnapshotInfo truth = read_snapshot(paths[0]);
  for (const FileFormat format : {FileFormat::gadget1, FileFormat::gadget2, FileFormat::hdf5}) {
    convert_snapshot({paths[1], directory / "c", format, {}, {}});
    const SnapshotInfo info = read_snapshot(directory / "c", {}, units_in("kpc/h"));
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(info.system.particles.position[i], truth.system.particles.position[i]);
      EXPECT_EQ(info.system.particles.velocity[i], truth.system.particles.velocity[i]);
      EXPECT_EQ(info.system.particles.mass[i], truth.system.particles.mass[i]);
      EXPECT_EQ(info.system.particles.id[i], truth.system.particles.id[i]);
    }
  }
}

using ParticleRow = std::tuple<std::uint64_t, double, double, double, float>;

/// Id, two coordinates, a velocity and the mass of each particle, by id.
std::vector<ParticleRow> rows_of(const SnapshotInfo& info) {
  const ParticleStore& p = info.system.particles;
  std::vector<ParticleRow> rows;
  for (std::size_t i = 0; i < p.size(); ++i)
    rows.emplace_back(p.id[i], p.position[i].x, p.position[i].y, p.velocity[i].z, p.mass[i]);
  std::ranges::sort(rows);
  return rows;
}

void expect_same_rows(const std::vector<ParticleRow>& a, const std::vector<ParticleRow>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::get<0>(a[i]), std::get<0>(b[i])) << what;
    EXPECT_NEAR(std::get<1>(a[i]), std::get<1>(b[i]), 1e-4) << what;
    EXPECT_NEAR(std::get<2>(a[i]), std::get<2>(b[i]), 1e-4) << what;
    EXPECT_NEAR(std::get<3>(a[i]), std::get<3>(b[i]), 1e-3) << what;
    EXPECT_FLOAT_EQ(std::get<4>(a[i]), std::get<4>(b[i])) << what;
  }
}

/// Whatever is written is read again with the same particles: types of zooms, wide ids, masses of their own.
TEST(ConvertSnapshot, EveryFormatIsReadBack) {
  const TemporaryDirectory directory;
  GadgetBytes made = random_file(true);
  made.particles.push_back({3, {8, 9, 10}, {2, 2, 2}, {(1ULL << 47) + 30}, {}, 5000});
  made.particles.push_back({5, {11, 12, 13, 14, 15, 16}, {3, 3, 3, 4, 4, 4}, {50, ~0ULL}, {600, 900}, 0});
  save_bytes(directory / "a", made.make());
  const std::vector<ParticleRow> truth = rows_of(read_snapshot(directory / "a", {}, units_in("Mpc/h")));
  for (const FileFormat format : {FileFormat::gadget1, FileFormat::gadget2, FileFormat::hdf5, FileFormat::swift}) {
    for (const unsigned width : {4U, 8U}) {
      EXPECT_EQ(convert_snapshot({directory / "a", directory / "b", format, width, units_in("Mpc/h")}), 103U);
      const bool binary = format == FileFormat::gadget1 || format == FileFormat::gadget2;
      const SnapshotInfo info = read_snapshot(directory / "b", {}, binary ? units_in("Mpc/h") : Unsaid{});
      expect_same_rows(rows_of(info), truth, info.layout);
    }
  }
  const hdf5::File swift = hdf5::File::open(directory / "b");
  EXPECT_EQ(swift.group("PartType1")->dataset_shape("ParticleIDs").rows, 50U);
  EXPECT_EQ(swift.group("PartType2")->dataset_shape("ParticleIDs").rows, 53U);  // types 2, 3 and 5
  EXPECT_FALSE(swift.has("PartType3") || swift.has("PartType5"));
}

/// Ids of six bytes need eight.
TEST(ConvertSnapshot, IdsOfOddWidths) {
  const TemporaryDirectory directory;
  const auto paths = write_snapshot(directory / "s", test::random_system(100, true, Boundary::periodic), {}, {});
  const hdf5::Handle type(H5Tcopy(H5T_STD_U64LE), H5Tclose);
  H5Tset_size(type.get(), 6);
  H5Tset_precision(type.get(), 48);
  std::vector<std::uint64_t> ids(100);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = (std::uint64_t{1} << 40) + i;
  test::edit(paths[0], [&](const hdf5::Object& file) {
    const auto group = file.group("PartType1");
    H5Ldelete(group->id(), "ParticleIDs", H5P_DEFAULT);
    const hsize_t count = ids.size();
    const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const hdf5::Handle set(
        H5Dcreate2(group->id(), "ParticleIDs", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    ASSERT_GE(H5Dwrite(set.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids.data()), 0);
  });
  for (const FileFormat format : {FileFormat::gadget1, FileFormat::gadget2, FileFormat::hdf5, FileFormat::swift}) {
    convert_snapshot({paths[0], directory / "b", format, {}, {}});
    const Unsaid units = format == FileFormat::swift ? Unsaid{} : units_in("kpc/h");
    const ParticleStore p = read_snapshot(directory / "b", {}, units).system.particles;
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(p.id[i], ids[i]);
  }
}

/// A coordinate just below the box may round onto its face, and one outside is moved in.
TEST(ConvertSnapshot, SinglePrecisionStaysInsideTheBox) {
  const TemporaryDirectory directory;
  GadgetBytes made = random_file(true);
  std::vector<double>& x = made.particles[0].x;
  x[0] = std::nextafter(100.0, 0.0);
  x[1] = 100;
  x[2] = -1e-9;
  x[3] = 130;
  x[4] = -30;
  save_bytes(directory / "a", made.make());
  for (const FileFormat format : {FileFormat::hdf5, FileFormat::swift}) {
    convert_snapshot({directory / "a", directory / "b.hdf5", format, 4U, units_in("Mpc/h")});
    const hdf5::File file = hdf5::File::open(directory / "b.hdf5");
    const double box = file.group("Header")->numbers("BoxSize")->front();
    const auto read = file.group("PartType1")->read_dataset<float>("Coordinates", 3);
    ASSERT_EQ(read.size(), 150U);
    for (const float each : read) EXPECT_TRUE(each >= 0 && static_cast<double>(each) < box) << each;
    EXPECT_NEAR(read[3] / box, 0.3, 1e-6);
    EXPECT_NEAR(read[4] / box, 0.7, 1e-6);
  }
}

TEST(ConvertSnapshot, RefusalsLeaveNothing) {
  const TemporaryDirectory directory;
  const auto sphere = write_snapshot(directory / "s", test::random_system(10), {}, {});
  const auto refused = [&](const ConvertRequest& request, const char* why) {
    try {
      convert_snapshot(request);
      ADD_FAILURE() << "accepted; wanted: " << why;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
    EXPECT_FALSE(fs::exists(directory / "out"));
    EXPECT_FALSE(fs::exists(directory / "out.partial"));
  };
  refused({sphere[0], directory / "out", FileFormat::gadget1, {}, {}}, "only comoving periodic boxes");
  GadgetBytes bad = random_file(false);
  bad.particles[1].v[140] = std::nan("");
  save_bytes(directory / "a", bad.make());
  refused({directory / "a", directory / "out", FileFormat::hdf5, {}, units_in("Mpc/h")}, "velocities hold NaN");
  refused({directory / "a", directory / "out", FileFormat::hdf5, {}, {}}, "set model.units");
}

}  // namespace
}  // namespace multiwalk
