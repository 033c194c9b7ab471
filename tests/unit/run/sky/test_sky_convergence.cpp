// SPDX-License-Identifier: GPL-3.0-or-later
// The convergence that `multiwalk sky` makes of planted shells, against closed forms.
#include <fitsio.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/sky/flat_universe.hpp"
#include "tests/support/sky/sky_run.hpp"

namespace multiwalk {
namespace {

constexpr double unseen_value = -1.6375e30;

struct KappaFile {
  std::vector<double> value;
  nlohmann::json header;

  explicit KappaFile(const std::string& run) {
    fitsfile* file = nullptr;
    int status = 0;
    fits_open_table(&file, (run + "/sky_kappa.fits").c_str(), READONLY, &status);
    LONGLONG rows = 0;
    fits_get_num_rowsll(file, &rows, &status);
    value.resize(static_cast<std::size_t>(rows));
    fits_read_col(file, TDOUBLE, 1, 1, 1, rows, nullptr, value.data(), nullptr, &status);
    for (const char* name : {"PIXTYPE", "ORDERING", "INDXSCHM", "TTYPE1", "TFORM1"}) {
      char text[FLEN_VALUE] = {};
      fits_read_key(file, TSTRING, name, text, nullptr, &status);
      header[name] = text;
    }
    for (const char* name : {"NSIDE", "FIRSTPIX", "LASTPIX", "BAD_DATA", "ZSOURCE"}) {
      double number = 0;
      fits_read_key(file, TDOUBLE, name, &number, nullptr, &status);
      header[name] = number;
    }
    fits_close_file(file, &status);
    EXPECT_EQ(status, 0);
  }
};

std::vector<std::uint32_t> uniform_counts(std::uint64_t pixels, double number) {
  return std::vector<std::uint32_t>(pixels, static_cast<std::uint32_t>(std::lround(number)));
}

/// In a universe of matter alone, with x = chi H0 / 2c and a = (1 - x)^2, kappa / delta of a shell is 6 / x_s times the
/// integral of x (x_s - x) / (1 - x)^2.
double shell_weight(double near, double far, double source) {
  const double unit = 2 * test::FlatUniverse::light_over_hubble, last = std::min(far, source);
  if (near >= last) return 0;
  const double us = 1 - source / unit;
  const auto part = [&](double chi) {
    const double u = 1 - chi / unit;
    return (1 + us) * std::log(u) + us / u - u;
  };
  return 6 / (source / unit) * (part(near) - part(last));
}

double redshift_of(double chi) {
  return std::pow(1 - chi / (2 * test::FlatUniverse::light_over_hubble), -2) - 1;
}

TEST(SkyConvergence, OfUniformShellsIsThatOfTheClosedForm) {
  test::SkyRun run(1, 4);
  const double expected = 1e6;
  run.add_shell(400, 900, expected, uniform_counts(run.pixels(), 1.02 * expected));
  run.add_shell(900, 1500, expected, uniform_counts(run.pixels(), 0.97 * expected));
  for (const double source : {1500.0, 1200.0, 700.0}) {
    const double z = source == 1500 ? -1 : redshift_of(source);  // the far border by default
    const nlohmann::json found = run.analyse(z);
    const double first = shell_weight(400, 900, source), second = shell_weight(900, 1500, source);
    EXPECT_NEAR(found.at("source_redshift").get<double>(), redshift_of(source), 1e-9);
    EXPECT_NEAR(found.at("shells").at(0).at("kappa_per_overdensity").get<double>(), first, 1e-12 * first);
    EXPECT_NEAR(found.at("shells").at(1).at("kappa_per_overdensity").get<double>(), second, 1e-12 * first);
    const KappaFile kappa(run.directory.path());
    ASSERT_EQ(kappa.value.size(), 192U);
    const double whole = 0.02 * first - 0.03 * second;
    for (const double value : kappa.value) ASSERT_NEAR(value, whole, 1e-12 * first) << source;
  }
}

/// Sigma / Sigma_crit of a sheet with the mass of 12345 particles in one pixel, Sigma_crit = c^2 D_s / (4 pi G D_l
/// D_ls).
TEST(SkyConvergence, OfAMassSheetIsItsSurfaceDensityOverTheCriticalOne) {
  test::SkyRun run(0.3, 8);
  const test::FlatUniverse universe{0.3};
  const double chi = 1000, expected = 1000, source = 2000;
  std::vector<std::uint32_t> counts = uniform_counts(run.pixels(), expected);
  constexpr std::size_t pixel = 345;
  counts[pixel] += 12345;
  run.add_shell(chi - 1, chi + 1, expected, counts);
  const double a = universe.departure(chi), a_source = universe.departure(source);
  static_cast<void>(run.analyse(1 / a_source - 1));
  constexpr double newton = 43.00917, light = 299792.458;  // (Mpc/h) (km/s)^2 / (1e10 Msun/h), km/s
  const double volume = 4 * std::numbers::pi / 3 * (std::pow(chi + 1, 3) - std::pow(chi - 1, 3));
  const double particle = 0.3 * 27.7536627 * volume / (expected * static_cast<double>(run.pixels()));
  const double area = 4 * std::numbers::pi / static_cast<double>(run.pixels()) * std::pow(a * chi, 2);
  const double to_lens = a * chi, to_source = a_source * source, between = a_source * (source - chi);
  const double critical = light * light / (4 * std::numbers::pi * newton) * to_source / (to_lens * between);
  const double sheet = 12345 * particle / area / critical;
  const KappaFile kappa(run.directory.path());
  for (std::size_t p = 0; p < kappa.value.size(); ++p) {
    ASSERT_NEAR(kappa.value[p], p == pixel ? sheet : 0, 2e-6 * sheet) << p;
  }
}

TEST(SkyConvergence, HasHealpixsHeader) {
  test::SkyRun run(1, 4);
  run.add_shell(400, 900, 100, uniform_counts(run.pixels(), 100));
  static_cast<void>(run.analyse(0.5));
  const nlohmann::json expected{{"PIXTYPE", "HEALPIX"}, {"ORDERING", "NESTED"}, {"INDXSCHM", "IMPLICIT"},
                                {"TTYPE1", "KAPPA"},    {"TFORM1", "D"},        {"NSIDE", 4.0},
                                {"FIRSTPIX", 0.0},      {"LASTPIX", 191.0},     {"BAD_DATA", unseen_value},
                                {"ZSOURCE", 0.5}};
  EXPECT_EQ(KappaFile(run.directory.path()).header, expected);
}

/// Counts of a homogeneous universe: a pixel that the border of the view cuts has fewer.
std::vector<std::uint32_t> homogeneous(const test::SkyRun& run, double expected) {
  constexpr int finer = 4;
  const SkyPixels fine(run.parameters.lightcone.nside << finer);
  const SkyWindow window = run.view().window();
  std::vector<double> part(run.pixels());
  for (std::uint64_t p = 0; p < fine.number(); ++p) {
    if (window.contains(fine.centre(p))) part[p >> (2 * finer)] += 1.0 / (1 << (2 * finer));
  }
  std::vector<std::uint32_t> counts;
  for (const double share : part) counts.push_back(static_cast<std::uint32_t>(std::lround(expected * share)));
  return counts;
}

/// Only pixels that lie in view as a whole are used, and nearly all of them.
void expect_no_border(const std::function<void(LightConeParameters&)>& open, double steradian) {
  test::SkyRun run(0.3, 16);
  open(run.parameters.lightcone);
  constexpr double expected = 1 << 16;
  const std::vector<std::uint32_t> counts = homogeneous(run, expected);
  run.add_shell(500, 700, expected, counts);
  const nlohmann::json found = run.analyse();
  const KappaFile kappa(run.directory.path());
  std::size_t used = 0, whole = 0;
  for (std::uint64_t p = 0; p < run.pixels(); ++p) {
    whole += counts[p] == expected ? 1 : 0;
    if (kappa.value[p] == unseen_value) continue;
    ++used;
    EXPECT_EQ(counts[p], expected) << p;
    EXPECT_EQ(kappa.value[p], 0) << p;
  }
  const double border = 2 * std::sqrt(static_cast<double>(run.pixels()) * steradian);  // pixels, about
  EXPECT_GT(static_cast<double>(used), static_cast<double>(whole) - border);
  EXPECT_EQ(found.at("seen_fraction").get<double>(), static_cast<double>(used) / static_cast<double>(run.pixels()));
  const nlohmann::json& shell = found.at("shells").at(0);
  EXPECT_NEAR(shell.at("expected").get<double>() / (expected * static_cast<double>(run.pixels())),
              steradian / (4 * std::numbers::pi), 1e-12);
  for (const nlohmann::json& band : shell.at("bands")) EXPECT_EQ(band.at("measured").get<double>(), 0);
}

TEST(SkyConvergence, OfPartOfTheSkyHasNoBorder) {
  expect_no_border([](LightConeParameters& l) { l.opening = SkyOpening::octant; }, std::numbers::pi / 2);
  const auto cone = [](LightConeParameters& l) {
    l.opening = SkyOpening::cone;
    l.axis = {1, 1, 0.5};
    l.half_angle = 60;
  };
  expect_no_border(cone, std::numbers::pi);
}

TEST(SkyConvergence, ShellsOfAnotherViewAreRefused) {
  test::SkyRun run(0.3, 16);
  run.add_shell(500, 700, 100, uniform_counts(run.pixels(), 100));
  run.parameters.lightcone.opening = SkyOpening::octant;
  try {
    static_cast<void>(run.analyse());
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("another field of view"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace multiwalk
