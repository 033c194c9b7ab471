// SPDX-License-Identifier: GPL-3.0-or-later
// Conversions between formats: numbers that keep unit and precision keep their bits.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

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
  refused({directory / "a", directory / "a", FileFormat::gadget2, {}, units_in("Mpc/h")}, "is the input");
}

}  // namespace
}  // namespace multiwalk
