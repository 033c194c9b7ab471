// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a shell, against what CFITSIO and HDF5 write themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "analysis/sky/sky_pixels.hpp"
#include "host/base/error.hpp"
#include "run/sky/shell_files.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

constexpr std::uint32_t shell_nside = 128;
constexpr int counted_particles = 300000;

SkyView shell_view(SkyOpening opening) {
  SkyView view;
  view.opening = opening;
  view.half_angle = 0.4;
  view.axis = {0.6, 0, 0.8};
  return view;
}

SkyShell shell_of(std::uint32_t number) {
  SkyShell shell;
  shell.number = number;
  shell.near = 100 + number, shell.far = 200 + 0.1 * number;
  shell.particles = counted_particles;
  shell.density = 0.25, shell.mass = 7, shell.seen = 1.5;
  return shell;
}

std::unique_ptr<SkyMaps> maps_of(std::uint32_t seed, bool velocities) {
  auto maps = std::make_unique<SkyMaps>(shell_nside, velocities);
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> pixels;
  std::vector<std::int64_t> sums;
  for (int k = 0; k < counted_particles; ++k) {
    pixels.push_back(random() % (maps->counts.pixels() / 2));  // half the sky has blocks without particles
    sums.push_back(static_cast<std::int64_t>(random() >> 20));
  }
  maps->counts.add(pixels);
  if (velocities) maps->velocities->add(pixels, sums);
  return maps;
}

/// The table as CFITSIO writes it, without the keys of a shell.
std::string fits_of_library(const std::string& path, const MapRows& rows) {
  std::vector<FitsColumn> columns;
  if (rows.partial()) columns.push_back({"PIXEL", "K"});
  columns.push_back({"COUNT", "J"});
  if (rows.velocities()) columns.push_back({"VRADIAL", "D"});
  fitsfile* file = nullptr;
  int status = 0, column = 1;
  fits_create_diskfile(&file, path.c_str(), &status);
  write_fits_table_header(file, "SHELL", columns, {}, status);
  const auto write = [&]<class T>(int type, std::vector<T> values) {
    const auto count = static_cast<LONGLONG>(values.size());
    if (count > 0) fits_write_col(file, type, column++, 1, 1, count, values.data(), &status);
  };
  const MapRows::Rows all = rows.read(0, rows.rows());
  write(TLONGLONG, all.pixel);
  write(TUINT, all.count);
  write(TDOUBLE, all.velocity);
  fits_close_file(file, &status);
  EXPECT_EQ(status, 0);
  return test::read_bytes(path);
}

void expect_files(SkyOpening opening, bool velocities) {
  const test::TemporaryDirectory directory;
  const SkyView view = shell_view(opening);
  const SeenPixels seen(shell_nside, view);
  ShellForm form;
  for (std::uint32_t number = 0; number < 3; ++number) {  // the first makes the form of the others
    const std::string stem = directory / shell_stem(number);
    const auto maps = maps_of(number % 2, velocities);
    const MapRows rows(*maps, seen);
    ShellFiles files(stem, shell_of(number), maps_of(number % 2, velocities), seen, form);
    EXPECT_FALSE(std::filesystem::exists(stem + ".hdf5"));
    std::async(std::launch::async, [&] { files.complete(); }).get();
    const MapRows::Rows all = rows.read(0, rows.rows());
    const StoredShell stored = read_shell(stem + ".hdf5");
    EXPECT_EQ(stored.shell.number, number);
    EXPECT_EQ(stored.shell.near, shell_of(number).near);
    EXPECT_EQ(stored.shell.far, shell_of(number).far);
    EXPECT_EQ(stored.shell.particles, shell_of(number).particles);
    EXPECT_EQ(stored.nside, shell_nside);
    EXPECT_TRUE(stored.count == all.count);
    EXPECT_TRUE(std::ranges::equal(stored.pixel, all.pixel));
    if (velocities) {
      EXPECT_TRUE(hdf5::File::open(stem + ".hdf5").read_dataset<double>("RadialVelocities") == all.velocity);
    }
    const std::string own = test::read_bytes(stem + ".fits");
    const std::string library = fits_of_library(directory / "library.fits", rows);
    const std::size_t table = rows.rows() * (4 + (velocities ? 8 : 0) + (rows.partial() ? 8 : 0));
    const std::size_t data = (table + 2879) / 2880 * 2880;
    ASSERT_GT(own.size(), data);
    EXPECT_EQ(own.size() % 2880, 0U);
    EXPECT_TRUE(own.substr(own.size() - data) == library.substr(library.size() - data));
    for (const char* card : {"NAXIS1", "NAXIS2", "TTYPE1", "TFORM1", "EXTNAME"}) {
      const auto text = [&](const std::string& bytes) { return bytes.substr(bytes.find(card, 2880), 80); };
      EXPECT_EQ(text(own), text(library));
    }
    std::filesystem::remove(directory / "library.fits");
  }
  EXPECT_EQ(directory.count(), 6U) << "no partial files";
}

TEST(ShellFiles, OfTheWholeSky) {
  expect_files(SkyOpening::full, false);
  expect_files(SkyOpening::full, true);
}

TEST(ShellFiles, OfPartOfTheSky) {
  expect_files(SkyOpening::octant, true);
  expect_files(SkyOpening::cone, false);
}

/// The values of the keywords in the table's header.
std::map<std::string, double> numbers_of(const std::string& path, const std::vector<std::string>& names) {
  fitsfile* file = nullptr;
  int status = 0;
  fits_open_table(&file, path.c_str(), READONLY, &status);
  std::map<std::string, double> values;
  for (const std::string& name : names) fits_read_key(file, TDOUBLE, name.c_str(), &values[name], nullptr, &status);
  fits_close_file(file, &status);
  EXPECT_EQ(status, 0) << path;
  return values;
}

std::string text_of(const std::string& path, const char* name) {
  fitsfile* file = nullptr;
  int status = 0;
  char text[FLEN_VALUE] = {};
  fits_open_table(&file, path.c_str(), READONLY, &status);
  fits_read_key(file, TSTRING, name, text, nullptr, &status);
  fits_close_file(file, &status);
  return status == 0 ? text : "";
}

/// Both headers have each figure under its name, also in a file that began as a copy of another shell's.
TEST(ShellFiles, HaveTheFiguresOfTheirShells) {
  for (const SkyOpening opening : {SkyOpening::full, SkyOpening::cone}) {
    const test::TemporaryDirectory directory;
    const SeenPixels seen(shell_nside, shell_view(opening));
    ShellForm form;
    for (const std::uint32_t number : {0U, 1U}) {
      SkyShell shell = shell_of(number);
      shell.near = 100 + number, shell.far = 200 + number, shell.z_near = 0.03 + number, shell.z_far = 0.07 + number;
      shell.cosmology = {.omega_m = 0.31, .omega_lambda = 0.69, .h = 0.7, .w0 = -0.9, .wa = 0.2};
      const std::string stem = directory / shell_stem(number);
      ShellFiles(stem, shell, maps_of(1, true), seen, form).complete();
      const double n = number, volume = 4 * 3.14159265358979 / 3 * (std::pow(200 + n, 3) - std::pow(100 + n, 3));
      const std::map<std::string, double> expected{{"NSIDE", 128},
                                                   {"FIRSTPIX", 0},
                                                   {"LASTPIX", 196607},
                                                   {"SHELL", n},
                                                   {"NPART", 300000},
                                                   {"CHINEAR", 100 + n},
                                                   {"CHIFAR", 200 + n},
                                                   {"ZNEAR", 0.03 + n},
                                                   {"ZFAR", 0.07 + n},
                                                   {"DENSITY", 0.25},
                                                   {"PARTMASS", 7},
                                                   {"OMEGASKY", 1.5},
                                                   {"OMEGA_M", 0.31},
                                                   {"OMEGA_L", 0.69},
                                                   {"HUBBLE", 0.7},
                                                   {"W0", -0.9},
                                                   {"WA", 0.2},
                                                   {"BAD_DATA", -1.6375e30},
                                                   {"EXPECTED", 0.25 * volume / 196608}};
      std::vector<std::string> names;
      for (const auto& [name, value] : expected) names.push_back(name);
      for (const auto& [name, value] : numbers_of(stem + ".fits", names)) {
        EXPECT_NEAR(value, expected.at(name), 1e-13 * std::fabs(expected.at(name))) << name;
      }
      EXPECT_EQ(text_of(stem + ".fits", "PIXTYPE"), "HEALPIX");
      EXPECT_EQ(text_of(stem + ".fits", "ORDERING"), "NESTED");
      const bool full = opening == SkyOpening::full;
      EXPECT_EQ(text_of(stem + ".fits", "INDXSCHM"), full ? "IMPLICIT" : "EXPLICIT");
      EXPECT_EQ(text_of(stem + ".fits", "OBJECT"), full ? "FULLSKY" : "PARTIAL");
      EXPECT_EQ(text_of(stem + ".fits", full ? "TTYPE1" : "TTYPE2"), "COUNT");
      EXPECT_EQ(text_of(stem + ".fits", full ? "TTYPE2" : "TTYPE3"), "VRADIAL");
      const hdf5::File file = hdf5::File::open(stem + ".hdf5");
      const auto header = file.group("Header");
      for (const auto& [name, keyword] : {std::pair("Near", "CHINEAR"),
                                          {"Far", "CHIFAR"},
                                          {"RedshiftNear", "ZNEAR"},
                                          {"RedshiftFar", "ZFAR"},
                                          {"MeanDensity", "DENSITY"},
                                          {"ParticleMass", "PARTMASS"},
                                          {"SolidAngle", "OMEGASKY"},
                                          {"Omega0", "OMEGA_M"},
                                          {"OmegaLambda", "OMEGA_L"},
                                          {"HubbleParam", "HUBBLE"},
                                          {"w0", "W0"},
                                          {"wa", "WA"},
                                          {"Nside", "NSIDE"},
                                          {"NumPart", "NPART"},
                                          {"Shell", "SHELL"}}) {
        EXPECT_EQ(header->number(name), expected.at(keyword)) << name;
      }
      EXPECT_EQ(header->text("Ordering"), "NESTED");
    }
  }
}

TEST(ShellFiles, SeenPixelsAreThoseWhoseCentreIsInView) {
  for (const SkyOpening opening : {SkyOpening::octant, SkyOpening::cone, SkyOpening::full}) {
    const SkyView view = shell_view(opening);
    for (const std::uint32_t nside : {32U, 256U}) {
      const SeenPixels seen(nside, view);
      const SkyPixels sky(nside);
      std::size_t wrong = 0;
      for (std::uint64_t p = 0; p < sky.number(); ++p)
        wrong += seen.contains(p) != view.contains(sky.centre(p)) ? 1 : 0;
      EXPECT_EQ(wrong, 0U);
    }
  }
}

/// The thread that waits gets the error, and no file is left.
TEST(ShellFiles, OnAFullDisk) {
  const test::TemporaryDirectory directory;
  const SeenPixels seen(shell_nside, shell_view(SkyOpening::full));
  ShellForm form;
  {
    ShellFiles files(directory / "a", shell_of(0), maps_of(0, true), seen, form);
    const test::FileSizeLimit limit(1000000);
    auto written = std::async(std::launch::async, [&] { files.complete(); });
    EXPECT_THROW(written.get(), Error);
  }
  EXPECT_EQ(directory.count(), 0U);
}

}  // namespace
}  // namespace multiwalk
