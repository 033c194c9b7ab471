// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots of other codes: GADGET's binary files, files without units, zoom simulations, SWIFT's initial conditions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "host/base/units.hpp"
#include "tests/support/gadget_bytes.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

using test::edit;
using test::four_particles;
using test::GadgetBytes;
using test::put;
using test::TemporaryDirectory;
using Object = hdf5::Object;
using Settings = std::vector<std::string>;

const Settings units_mpc{R"(model.units={length="Mpc/h", mass="1e10 Msun/h", velocity="km/s"})"};

void save_gadget(const std::string& path, GadgetBytes file) {
  const std::string bytes = file.make();
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string foreign_refusal(const std::string& path, const Settings& settings) {
  try {
    read_snapshot(path, {}, Unsaid::of(settings));
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  }
  return "accepted";
}

void expect_in_refusal(const std::string& what, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(what.find(word), std::string::npos) << "no '" << word << "' in: " << what;
}

TEST(ForeignSnapshots, BinaryFiles) {
  const TemporaryDirectory directory;
  for (const int format : {1, 2}) {
    GadgetBytes file = four_particles();
    file.format = format;
    file.big_endian = format == 2;
    save_gadget(directory / "ic", file);
    const SnapshotInfo info = read_snapshot(directory / "ic", {}, Unsaid::of(units_mpc));
    EXPECT_EQ(info.layout, format == 1 ? "gadget1" : "gadget2");
    EXPECT_EQ(info.system.boundary, Boundary::periodic);
    EXPECT_EQ(info.system.box_size, 100);
    EXPECT_EQ(info.system.time, 0.25);
    EXPECT_EQ(info.cosmology.h, 0.7);
    EXPECT_LT(std::fabs(info.excess_mass), 1e-6);
    const ParticleStore& p = info.system.particles;
    ASSERT_EQ(p.size(), 4U);
    EXPECT_EQ(p.position[1], (Vec3d{99.5, 0, 50}));
    EXPECT_EQ(p.velocity[0], (Vec3f{12.5F, -25, 37.5F}));  // times a^1.5
    EXPECT_EQ(p.id[1], 4000000000U);
  }
}

/// The same particles, whatever units they are stated in.
TEST(ForeignSnapshots, UnitsByNameOrNumber) {
  const TemporaryDirectory directory;
  save_gadget(directory / "ic", four_particles());
  const Settings same[] = {
      {"model.units.length=Mpc/h", "model.units.mass=1e10 Msun/h", "model.units.velocity=km/s"},
      {"model.units.length=3.0856775814913673e24", "model.units.mass=1.98841e43", "model.units.velocity=1e5"},
      {"model.units.length=1000 kpc/h", "model.units.mass=1e10 Msun/h", "model.units.velocity=1000 m/s"},
  };
  for (const Settings& settings : same) {
    const SnapshotInfo info = read_snapshot(directory / "ic", {}, Unsaid::of(settings));
    EXPECT_DOUBLE_EQ(info.system.box_size, 100);
    EXPECT_NEAR(info.system.particles.position[1].x, 99.5, 1e-12);
    EXPECT_EQ(info.system.particles.velocity[0].x, 12.5F);
    EXPECT_LT(std::fabs(info.excess_mass), 1e-6);
  }
  const SnapshotInfo without_h = read_snapshot_info(
      directory / "ic",
      Unsaid::of(Settings{"model.units.length=Mpc", "model.units.mass=1e10 Msun", "model.units.velocity=km/s"}));
  EXPECT_NEAR(without_h.system.box_size, 70, 1e-12);
}

TEST(ForeignSnapshots, MissingUnitsAreAskedForWithThoseThatFit) {
  const TemporaryDirectory directory;
  save_gadget(directory / "ic", four_particles());
  expect_in_refusal(foreign_refusal(directory / "ic", {}),
                    {"ic: ", "units are unknown", "length = \"Mpc/h\"", "agrees with omega_m"});
  GadgetBytes in_kpc = four_particles();
  in_kpc.box = 1e5;
  save_gadget(directory / "kpc", in_kpc);
  expect_in_refusal(foreign_refusal(directory / "kpc", {}), {"length = \"kpc/h\"", "agrees with omega_m"});
  in_kpc.box = 12;
  save_gadget(directory / "odd", in_kpc);
  expect_in_refusal(foreign_refusal(directory / "odd", {}), {"or whatever they are"});
  expect_in_refusal(foreign_refusal(directory / "ic", {"model.units.length=kpc/h"}), {"model.units", "all three"});
  expect_in_refusal(foreign_refusal(directory / "ic", {"model.units.length=parsec"}),
                    {"model.units.length must be a unit such as"});
  expect_in_refusal(foreign_refusal(directory / "ic", {"model.units.colour=red"}), {"unknown key model.units.colour"});
}

/// Types 1, 2, 3 and 5, some with masses of the table and some with their own.
GadgetBytes zoom_file() {
  GadgetBytes file = four_particles();
  const double m = file.particles[0].table;
  file.particles[0].table = m / 2;
  file.particles.push_back({2, {5, 6, 7, 15, 16, 17}, std::vector<double>(6, 1), {20, 21}, {m / 4, m / 2}, 0});
  file.particles.push_back({3, {8, 9, 10}, {2, 2, 2}, {30}, {}, m});
  file.particles.push_back({5, {11, 12, 13}, {3, 3, 3}, {50}, {m / 4}, 0});
  return file;
}

TEST(ForeignSnapshots, ZoomsHaveSeveralTypes) {
  const TemporaryDirectory directory;
  save_gadget(directory / "zoom", zoom_file());
  const SnapshotInfo info = read_snapshot(directory / "zoom", {}, Unsaid::of(units_mpc));
  const ParticleStore& p = info.system.particles;
  ASSERT_EQ(p.size(), 8U);
  const auto m = static_cast<float>(zoom_file().particles[2].table);
  const float masses[] = {m / 2, m / 2, m / 2, m / 2, m / 4, m / 2, m, m / 4};
  const std::uint64_t ids[] = {4, 4000000000, 7, 9, 20, 21, 30, 50};
  for (int i = 0; i < 8; ++i) {
    EXPECT_FLOAT_EQ(p.mass[i], masses[i]) << i;
    EXPECT_EQ(p.id[i], ids[i]);
  }
  EXPECT_EQ(p.position[5], (Vec3d{15, 16, 17}));
  EXPECT_NEAR(info.excess_mass, 0, 1e-6);
}

TEST(ForeignSnapshots, GasAndStarsAreRefused) {
  const TemporaryDirectory directory;
  for (const auto& [type, name] :
       {std::pair{0, "1 gas particles (type 0)"}, std::pair{4, "1 star particles (type 4)"}}) {
    GadgetBytes file = four_particles();
    GadgetBytes::Particles other{type, {1, 1, 1}, {0, 0, 0}, {99}, {}, 3};
    file.particles.insert(type == 0 ? file.particles.begin() : file.particles.end(), other);
    save_gadget(directory / "ic", file);
    expect_in_refusal(foreign_refusal(directory / "ic", units_mpc), {"ic: ", name, "only dark matter is simulated"});
  }
}

TEST(ForeignSnapshots, BinarySetsOfFiles) {
  const TemporaryDirectory directory;
  GadgetBytes whole = zoom_file(), first = whole, second = whole;
  for (GadgetBytes* part : {&first, &second}) {
    part->files = 2;
    part->total = {0, 4, 2, 1, 0, 1};
  }
  const auto keep = [](GadgetBytes::Particles& p, std::size_t from, std::size_t to) {
    const auto cut = [&](auto& values, std::size_t each) {
      if (!values.empty())
        values = {values.begin() + static_cast<std::ptrdiff_t>(from * each),
                  values.begin() + static_cast<std::ptrdiff_t>(to * each)};
    };
    cut(p.x, 3);
    cut(p.v, 3);
    cut(p.id, 1);
    cut(p.mass, 1);
  };
  keep(first.particles[0], 0, 3);
  keep(second.particles[0], 3, 4);
  keep(first.particles[1], 0, 0);
  keep(first.particles[2], 0, 1);
  keep(second.particles[2], 1, 1);
  keep(first.particles[3], 0, 0);
  save_gadget(directory / "ic.0", first);
  save_gadget(directory / "ic.1", second);
  const SnapshotInfo info = read_snapshot(directory / "ic.1", {}, Unsaid::of(units_mpc));
  const std::uint64_t ids[] = {4, 4000000000, 7, 30, 9, 20, 21, 50};
  ASSERT_EQ(info.system.particles.size(), 8U);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(info.system.particles.id[i], ids[i]);
  EXPECT_NEAR(info.excess_mass, 0, 1e-6);
  second.a = 0.5;
  second.z = 1;
  save_gadget(directory / "ic.1", second);
  expect_in_refusal(foreign_refusal(directory / "ic.0", units_mpc), {"does not belong to the same snapshot"});
  std::filesystem::remove(directory / "ic.1");
  expect_in_refusal(foreign_refusal(directory / "ic.0", units_mpc), {"ic.1"});
}

/// In format 2 a record of masses has a name, so what it says beside the header's table is compared.
TEST(ForeignSnapshots, MassesThatAreStatedTwice) {
  const TemporaryDirectory directory;
  for (const double factor : {1.0, 1.000004, 3.0}) {
    GadgetBytes file = four_particles();
    file.format = 2;
    file.big_endian = factor > 1;
    const double m = file.particles[0].table;
    file.particles[0].mass = {m, m, m * factor, m};
    save_gadget(directory / "ic", file);
    const std::string what = foreign_refusal(directory / "ic", units_mpc);
    if (factor < 2)
      EXPECT_EQ(what, "accepted");
    else
      expect_in_refusal(what, {"MassTable gives particles of type 1", "their own masses say"});
  }
}

TEST(ForeignSnapshots, Gadget4sBinaryHeaderIsNamed) {
  const TemporaryDirectory directory;
  const std::string length("\xc0\0\0\0", 4), name("\x08\0\0\0HEAD\xc8\0\0\0\x08\0\0\0", 16);
  for (const std::string& before : {std::string(), name}) {
    std::ofstream(directory / "ic", std::ios::binary) << before << length << std::string(192, '\0') << length;
    expect_in_refusal(foreign_refusal(directory / "ic", units_mpc), {"ic: ", "GADGET-4's own binary files", "HDF5"});
  }
}

/// A run's parameter files name a set by its base.
TEST(ForeignSnapshots, BaseNames) {
  const TemporaryDirectory directory;
  for (const char* ending : {".0", ".0.hdf5", ".hdf5"}) {
    save_gadget(directory / (std::string("base") + ending), four_particles());
    EXPECT_EQ(read_snapshot(directory / "base", {}, Unsaid::of(units_mpc)).particles, 4U) << ending;
    EXPECT_EQ(foreign_refusal(directory / "other.hdf5", units_mpc).find("accepted"), std::string::npos);
    std::filesystem::remove(directory / (std::string("base") + ending));
  }
}

TEST(ForeignSnapshots, StrangeHeadersAndValues) {
  const TemporaryDirectory directory;
  const auto refused = [&](auto change, std::initializer_list<const char*> words) {
    GadgetBytes file = four_particles();
    change(file);
    save_gadget(directory / "ic", file);
    expect_in_refusal(foreign_refusal(directory / "ic", units_mpc), words);
  };
  refused([](GadgetBytes& f) { f.particles.clear(); }, {"holds no particles"});
  refused([](GadgetBytes& f) { f.z = 2; }, {"Time = 0.25 and Redshift = 2 disagree"});
  refused([](GadgetBytes& f) { f.a = 0; }, {"Time = 0"});
  refused([](GadgetBytes& f) { f.box = std::nan(""); }, {"BoxSize = nan"});
  refused([](GadgetBytes& f) { f.omega_m = 0; }, {"Omega0 = 0"});
  refused([](GadgetBytes& f) { f.h = -1; }, {"HubbleParam = -1"});
  refused([](GadgetBytes& f) { f.files = -1; }, {"counts -1 files"});
  refused([](GadgetBytes& f) { f.files = 2; }, {"one of 2 files"});
  refused([](GadgetBytes& f) { f.total = {0, 5}; }, {"does not fit"});
  refused([](GadgetBytes& f) { f.particles[0].x[4] = std::nan(""); }, {"Coordinates hold NaN"});
  refused([](GadgetBytes& f) { f.particles[0].v[4] = INFINITY; }, {"Velocities hold NaN"});
  refused([](GadgetBytes& f) { f.particles[0].id[3] = 4; }, {"not unique"});
  refused(
      [](GadgetBytes& f) {
        f.particles[0].table = 0;
        f.particles[0].mass = {1, 1, -1, 1};
      },
      {"negative mass"});
  std::ofstream(directory / "text") << "neither of them";
  expect_in_refusal(foreign_refusal(directory / "text", units_mpc), {"text: ", "is not an HDF5 file"});
  std::ofstream(directory / "empty") << "";
  expect_in_refusal(foreign_refusal(directory / "empty", units_mpc), {"empty: ", "is not an HDF5 file"});
}

/// Whatever byte is changed, the file is read or refused by one line.
TEST(ForeignSnapshots, EveryChangedByteIsReadOrRefused) {
  const TemporaryDirectory directory;
  GadgetBytes file = zoom_file();
  file.format = 2;
  const std::string good = file.make();
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned change : {1U, 0x80U, 0xffU}) {
      std::string bad = good;
      bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ change);
      std::ofstream(directory / "ic", std::ios::binary).write(bad.data(), static_cast<std::streamsize>(bad.size()));
      refused += foreign_refusal(directory / "ic", units_mpc) != "accepted";
    }
  }
  EXPECT_GT(refused, 300);
}

template <class T>
void put_attribute(const Object& group, const std::string& name, const std::vector<T>& values) {
  group.write(name, std::span<const T>(values));
}

/// HDF5 as GADGET-2 and its descendants write it, with types 1 and 2 and no units.
void write_old_hdf5(const std::string& path, std::uint32_t gas) {
  hdf5::File file = hdf5::File::create(path);
  const Object header = file.create_group("Header");
  for (const char* name : {"NumPart_ThisFile", "NumPart_Total"})
    put_attribute<std::uint32_t>(header, name, {gas, 1, 1, 0, 0, 0});
  put_attribute<double>(header, "MassTable", {0, 0.3 * 27.7536627 * 1e6 / 2, 0, 0, 0, 0});
  for (const auto& [name, value] :
       {std::pair{"Time", 0.25}, std::pair{"Redshift", 3.0}, std::pair{"BoxSize", 100.0}, std::pair{"Omega0", 0.3},
        std::pair{"OmegaLambda", 0.7}, std::pair{"HubbleParam", 0.7}})
    header.write(name, value);
  header.write("NumFilesPerSnapshot", std::int32_t{1});
  for (const int type : {1, 2}) {
    const Object group = file.create_group("PartType" + std::to_string(type));
    put(group, "Coordinates", 3, std::vector<float>{1, 2, 3.0F * static_cast<float>(type)});
    put(group, "Velocities", 3, std::vector<float>{4, 5, 6});
    put(group, "ParticleIDs", 1, std::vector<std::uint32_t>{static_cast<std::uint32_t>(type)});
    if (type == 2) put(group, "Masses", 1, std::vector<float>{0.3F * 27.7536627F * 1e6F / 2});
  }
  file.close();
}

TEST(ForeignSnapshots, Hdf5WithoutUnits) {
  const TemporaryDirectory directory;
  write_old_hdf5(directory / "ic.hdf5", 0);
  expect_in_refusal(foreign_refusal(directory / "ic.hdf5", {}), {"lacks UnitLength_in_cm", "set model.units"});
  const SnapshotInfo info = read_snapshot(directory / "ic.hdf5", {}, Unsaid::of(units_mpc));
  ASSERT_EQ(info.system.particles.size(), 2U);
  EXPECT_EQ(info.system.particles.position[1], (Vec3d{1, 2, 6}));
  EXPECT_EQ(info.system.particles.velocity[0], (Vec3f{0.5, 0.625, 0.75}));
  EXPECT_NEAR(info.excess_mass, 0, 1e-6);
  write_old_hdf5(directory / "gas.hdf5", 7);
  expect_in_refusal(foreign_refusal(directory / "gas.hdf5", units_mpc), {"7 gas particles (type 0)"});
}

TEST(ForeignSnapshots, UnitsThatContradictTheFileAreRefused) {
  const TemporaryDirectory directory;
  const auto paths = write_snapshot(directory / "s", test::random_system(10, true, Boundary::periodic), {}, {});
  const Settings kpc{R"(model.units={length="kpc/h", mass="1e10 Msun/h", velocity="km/s"})"};
  EXPECT_EQ(foreign_refusal(paths[0], kpc), "accepted");
  expect_in_refusal(foreign_refusal(paths[0], units_mpc),
                    {"states its units", "model.units.length = 3.0856776e+24 is 1000 times the 3.0856776e+21"});
}

/// SWIFT's initial conditions leave the cosmology, and perhaps the redshift, to its parameter file.
TEST(ForeignSnapshots, SwiftInitialConditions) {
  const TemporaryDirectory directory;
  const std::string path = directory / "ic.hdf5";
  hdf5::File file = hdf5::File::create(path);
  const Object header = file.create_group("Header");
  for (const char* name : {"NumPart_ThisFile", "NumPart_Total"})
    put_attribute<std::uint32_t>(header, name, {0, 1, 0, 0, 0, 0, 0});
  put_attribute<double>(header, "BoxSize", {100, 100, 100});
  header.write("Dimension", std::int32_t{3});
  header.write("NumFilesPerSnapshot", std::int32_t{1});
  const Object units = file.create_group("Units");
  units.write("Unit length in cgs (U_L)", units::cm_per_mpc);
  units.write("Unit mass in cgs (U_M)", units::gram_per_1e10_msun);
  units.write("Unit time in cgs (U_t)", units::cm_per_mpc / units::cm_per_km);
  const Object group = file.create_group("PartType1");
  put(group, "Coordinates", 3, std::vector<double>{10, 20, 30});
  put(group, "Velocities", 3, std::vector<float>{100, 0, -4});
  put(group, "ParticleIDs", 1, std::vector<std::uint64_t>{5});
  put(group, "Masses", 1, std::vector<float>{100});
  file.close();
  const Settings cosmology{"cosmology.omega_m=0.3", "cosmology.omega_lambda=0.7", "cosmology.h=0.5"};
  expect_in_refusal(foreign_refusal(path, {}), {"has no /Cosmology", "cosmology.h"});
  expect_in_refusal(foreign_refusal(path, cosmology), {"states no redshift", "ic.z_start"});
  Settings all = cosmology;
  all.push_back("ic.z_start=3");
  const SnapshotInfo info = read_snapshot(path, {}, Unsaid::of(all));
  EXPECT_EQ(info.system.time, 0.25);
  EXPECT_DOUBLE_EQ(info.system.box_size, 50);
  EXPECT_NEAR(info.system.particles.position[0].y, 10, 1e-14);
  EXPECT_EQ(info.system.particles.velocity[0], (Vec3f{25, 0, -1}));  // p = a v
  EXPECT_FLOAT_EQ(info.system.particles.mass[0], 50);
  edit(path, [](const Object& changed) { changed.group("Header")->write("Redshift", 1.0); });
  EXPECT_EQ(read_snapshot_info(path, Unsaid::of(all)).system.time, 0.5);
  edit(path, [](const Object& changed) {
    test::replace_attribute(changed, "Header", "Dimension", std::vector<std::int32_t>{2});
  });
  expect_in_refusal(foreign_refusal(path, all), {"three-dimensional"});
}

}  // namespace
}  // namespace multiwalk
