// SPDX-License-Identifier: GPL-3.0-or-later
// Other codes' layouts: monofonIC, GADGET-4 and SWIFT, distinguished by their attributes.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "host/base/units.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

using test::expect_refused;
using test::put;
using test::TemporaryDirectory;
using Object = hdf5::Object;

template <class T>
void put_list(const Object& group, const std::string& name, const std::vector<T>& values) {
  group.write(name, std::span<const T>(values));
}

const std::vector<double> positions{1, 2, 3, 99.5, 0, 50};
const std::vector<float> velocities{100, -200, 300, 1, 2, 3};

void put_particles(const hdf5::File& file, double length, bool small_ids) {
  const Object group = file.create_group("PartType1");
  std::vector<float> x;
  for (const double value : positions) x.push_back(static_cast<float>(value * length));
  put(group, "Coordinates", 3, x);
  put(group, "Velocities", 3, velocities);
  if (small_ids)
    put(group, "ParticleIDs", 1, std::vector<std::uint32_t>{4, 4000000000u});
  else
    put(group, "ParticleIDs", 1, std::vector<std::int64_t>{4, 4000000000});
}

/// What monofonIC's gadget_hdf5 output writes: every attribute a list, Mpc/h, no units.
void write_monofonic(const std::string& path, bool with_group) {
  hdf5::File file = hdf5::File::create(path);
  if (with_group) file.create_group("ICs_parameters").write_text("Code", "MUSIC2 - monofonIC");
  const Object header = file.create_group("Header");
  put_list<std::uint32_t>(header, "NumPart_ThisFile", {0, 2, 0, 0, 0, 0});
  put_list<std::uint32_t>(header, "NumPart_Total", {0, 2, 0, 0, 0, 0});
  put_list<std::uint32_t>(header, "NumPart_Total_HighWord", {0, 0, 0, 0, 0, 0});
  put_list<double>(header, "MassTable", {0, 5.5, 0, 0, 0, 0});
  put_list<double>(header, "Time", {0.04});
  put_list<double>(header, "Redshift", {24});
  put_list<std::int32_t>(header, "NumFilesPerSnapshot", {1});
  put_list<double>(header, "BoxSize", {100});
  put_list<double>(header, "Omega0", {0.3});
  put_list<double>(header, "OmegaLambda", {0.7});
  put_list<double>(header, "HubbleParam", {0.7});
  put_particles(file, 1, true);
  file.close();
}

/// GADGET-4 with units of its user's choice: densities only in /Parameters.
void write_gadget4(const std::string& path, double unit_length, double unit_velocity) {
  hdf5::File file = hdf5::File::create(path);
  const Object header = file.create_group("Header");
  put_list<std::uint64_t>(header, "NumPart_ThisFile", {0, 2});
  put_list<std::uint64_t>(header, "NumPart_Total", {0, 2});
  put_list<double>(header, "MassTable", {0, 5.5});
  header.write("Time", 0.25);
  header.write("Redshift", 3.0);
  header.write("BoxSize", 100 * units::cm_per_mpc / unit_length);
  header.write("NumFilesPerSnapshot", std::int32_t{1});
  const Object parameters = file.create_group("Parameters");
  parameters.write("Omega0", 0.3);
  parameters.write("OmegaLambda", 0.7);
  parameters.write("OmegaBaryon", 0.05);
  parameters.write("HubbleParam", 0.7);
  parameters.write("ComovingIntegrationOn", std::int32_t{1});
  parameters.write("UnitLength_in_cm", unit_length);
  parameters.write("UnitMass_in_g", units::gram_per_1e10_msun);
  parameters.write("UnitVelocity_in_cm_per_s", unit_velocity);
  put_particles(file, units::cm_per_mpc / unit_length, false);
  file.close();
}

/// SWIFT: Mpc and 1e10 Msun without h, seven particle types, peculiar velocities.
void write_swift(const std::string& path, double cosmological) {
  hdf5::File file = hdf5::File::create(path);
  const Object header = file.create_group("Header");
  header.write_text("Code", "SWIFT");
  put_list<std::uint32_t>(header, "NumPart_ThisFile", {0, 2, 0, 0, 0, 0, 0});
  put_list<std::uint32_t>(header, "NumPart_Total", {0, 2, 0, 0, 0, 0, 0});
  put_list<std::uint32_t>(header, "NumPart_Total_HighWord", {0, 0, 0, 0, 0, 0, 0});
  put_list<double>(header, "BoxSize", {100, 100, 100});
  put_list<std::int32_t>(header, "NumFilesPerSnapshot", {1});
  const Object units_group = file.create_group("Units");
  put_list<double>(units_group, "Unit length in cgs (U_L)", {units::cm_per_mpc});
  put_list<double>(units_group, "Unit mass in cgs (U_M)", {units::gram_per_1e10_msun});
  put_list<double>(units_group, "Unit time in cgs (U_t)", {units::cm_per_mpc / units::cm_per_km});
  const Object cosmology = file.create_group("Cosmology");
  put_list<double>(cosmology, "Cosmological run", {cosmological});
  put_list<double>(cosmology, "Scale-factor", {0.25});
  put_list<double>(cosmology, "h", {0.7});
  put_list<double>(cosmology, "Omega_m", {0.3});
  put_list<double>(cosmology, "Omega_lambda", {0.7});
  put_list<double>(cosmology, "Omega_b", {0.05});
  put_particles(file, 1, false);
  put(*file.group("PartType1"), "Masses", 1, std::vector<float>{5.5f, 5.5f});
  file.close();
}

/// Everything in internal units: lengths times `length`, canonical momenta = velocities times `momentum`.
void expect_content(const SnapshotInfo& info, double a, double length, double momentum, double mass) {
  const ParticleSystem& system = info.system;
  EXPECT_EQ(system.frame, Frame::comoving);
  EXPECT_EQ(system.boundary, Boundary::periodic);
  EXPECT_NEAR(system.time, a, 1e-15);
  EXPECT_NEAR(system.box_size, 100 * length, 1e-12);
  EXPECT_NEAR(info.cosmology.omega_m, 0.3, 1e-15);
  EXPECT_NEAR(info.cosmology.h, 0.7, 1e-15);
  ASSERT_EQ(system.particles.size(), 2u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(system.particles.position[i / 3][i % 3], positions[i] * length, 1e-5);
    const double p = velocities[i] * momentum;
    EXPECT_NEAR(system.particles.velocity[i / 3][i % 3], p, std::fabs(p) * 1.2e-7);
  }
  EXPECT_FLOAT_EQ(system.particles.mass[0], static_cast<float>(mass));
  EXPECT_EQ(system.particles.id[0], 4u);
  EXPECT_EQ(system.particles.id[1], 4000000000u);
  EXPECT_NEAR(system.spacing, 100 * length / std::cbrt(2.0), 1e-9);
}

TEST(SnapshotLayouts, Monofonic) {
  const TemporaryDirectory directory;
  write_monofonic(directory / "ic.hdf5", true);
  const SnapshotInfo info = read_snapshot(directory / "ic.hdf5");
  EXPECT_EQ(info.layout, "monofonic");
  expect_content(info, 0.04, 1, std::pow(0.04, 1.5), 5.5);
}

TEST(SnapshotLayouts, UnknownUnitsAreRefused) {
  const TemporaryDirectory directory;
  write_monofonic(directory / "ic.hdf5", false);
  expect_refused(directory / "ic.hdf5", "lacks UnitLength_in_cm");
}

TEST(SnapshotLayouts, Gadget4InAnyUnits) {
  const TemporaryDirectory directory;
  write_gadget4(directory / "g.hdf5", units::cm_per_mpc, units::cm_per_km);
  SnapshotInfo info = read_snapshot(directory / "g.hdf5");
  EXPECT_EQ(info.layout, "gadget");
  EXPECT_EQ(info.cosmology.omega_b, 0.05);
  expect_content(info, 0.25, 1, 0.125, 5.5);
  write_gadget4(directory / "g.hdf5", units::cm_per_mpc / 1000, 1000 * units::cm_per_km);
  info = read_snapshot(directory / "g.hdf5");
  expect_content(info, 0.25, 1, 125, 5.5);
}

TEST(SnapshotLayouts, Swift) {
  const TemporaryDirectory directory;
  write_swift(directory / "s.hdf5", 1);
  const SnapshotInfo info = read_snapshot(directory / "s.hdf5");
  EXPECT_EQ(info.layout, "swift");
  expect_content(info, 0.25, 0.7, 0.25, 5.5 * 0.7);
  write_swift(directory / "s.hdf5", 0);
  expect_refused(directory / "s.hdf5", "Cosmological run");
  write_swift(directory / "s.hdf5", 1);
  test::edit(directory / "s.hdf5", [](const Object& file) { file.group("Header")->write("Redshift", 2.0); });
  expect_refused(directory / "s.hdf5", "Scale-factor of /Cosmology = 0.25 contradict");
}

/// What a layout does not state is the caller's; what it states is the file's.
TEST(SnapshotLayouts, UnsaidCosmologyIsTheCallers) {
  const TemporaryDirectory directory;
  write_monofonic(directory / "m.hdf5", true);
  write_gadget4(directory / "g.hdf5", units::cm_per_mpc, units::cm_per_km);
  write_swift(directory / "s.hdf5", 1);
  CosmologyParameters given;
  given.omega_m = 0.4;
  given.h = 0.5;
  given.w0 = -0.7;
  given.wa = 0.2;
  given.radiation = true;
  given.sigma8 = 0.9;
  Unsaid unsaid;
  unsaid.cosmology = given;
  for (const char* name : {"m.hdf5", "g.hdf5", "s.hdf5"}) {
    for (const CosmologyParameters& c : {read_snapshot(directory / name, {}, unsaid).cosmology,
                                         read_snapshot_info(directory / name, unsaid).cosmology}) {
      EXPECT_EQ(std::tie(c.omega_m, c.h), std::make_tuple(0.3, 0.7)) << name;
      EXPECT_EQ(std::tie(c.w0, c.wa, c.radiation, c.sigma8), std::make_tuple(-0.7, 0.2, true, 0.9)) << name;
    }
  }
}

TEST(SnapshotLayouts, PeriodicPositionsAreWrapped) {
  const TemporaryDirectory directory;
  write_monofonic(directory / "ic.hdf5", true);
  test::edit(directory / "ic.hdf5", [](const Object& file) {
    put(*file.group("PartType1"), "Coordinates", 3, std::vector<double>{-1, 100, 150, -1e-20, 0, 99});
  });
  const auto x = read_snapshot(directory / "ic.hdf5").system.particles.position;
  EXPECT_EQ(x[0], (Vec3d{99, 0, 50}));
  EXPECT_EQ(x[1], (Vec3d{0, 0, 99}));
}

}  // namespace
}  // namespace multiwalk
