// SPDX-License-Identifier: GPL-3.0-or-later
// Linear power: Eisenstein & Hu's fit against CCL's benchmark, normalisation, tables good and bad.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <tuple>

#include "host/base/error.hpp"
#include "ic/power/eisenstein_hu.hpp"
#include "ic/power/eisenstein_hu_smooth.hpp"
#include "ic/power/linear_power.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

const std::string class_table = MULTIWALK_SOURCE_DIR "/tests/unit/ic/data/class_planck18_linear_z0.dat";

CosmologyParameters benchmark_cosmology() {
  CosmologyParameters p;
  p.omega_m = 0.3;
  p.omega_lambda = 0.7;
  p.omega_b = 0.05;
  p.h = 0.7;
  p.n_s = 0.96;
  p.sigma8 = 0.8;
  p.t_cmb = 2.725;
  return p;
}

/// CLASS's cosmology (class_planck18.ini).
CosmologyParameters class_cosmology() {
  CosmologyParameters p;
  const double h2 = p.h * p.h;
  p.omega_m = (0.02242 + 0.11933) / h2;
  p.omega_b = 0.02242 / h2;
  p.omega_lambda = 1 - p.omega_m;
  return p;
}

/// A file in the test's temporary folder, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) : path_(directory_ / "power.txt") { std::ofstream(path_) << text; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  test::TemporaryDirectory directory_;
  std::string path_;
};

std::string error_of(const std::string& path) {
  try {
    (void)LinearPower::from_file(path, CosmologyParameters{});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LinearPower, EisensteinHuMatchesBenchmark) {
  const std::array<std::array<double, 2>, 16> table{{{0.001, 3895.01},
                                                     {0.00251189, 8888.94},
                                                     {0.00501187, 15110.6},
                                                     {0.01, 21948.4},
                                                     {0.0158489, 24261},
                                                     {0.0251189, 21710.2},
                                                     {0.0398107, 14916.5},
                                                     {0.0501187, 12106.2},
                                                     {0.0630957, 10236.8},
                                                     {0.0794328, 8235.55},
                                                     {0.1, 5448.59},
                                                     {0.125893, 4081.54},
                                                     {0.199526, 1884.71},
                                                     {0.316228, 766.369},
                                                     {0.501187, 293.38},
                                                     {0.794328, 106.733}}};
  const LinearPower power = LinearPower::eisenstein_hu(benchmark_cosmology());
  for (const auto& [k, p] : table) EXPECT_NEAR(power(k) / p, 1, 2e-4) << "k = " << k;
  EXPECT_NO_THROW(power.require_box(1e5));
  EXPECT_EQ(power.warning(1e4), "");
}

TEST(LinearPower, EfstathiouHasItsShape) {
  CosmologyParameters p = benchmark_cosmology();
  p.n_s = 1;
  p.sigma8 = 0.9;
  p.shape_gamma = 0.21;
  const LinearPower power = LinearPower::of(p, "");
  EXPECT_NEAR(power.sigma(8), 0.9, 1e-6);
  // Ratios of k / [1 + (a k + (b k)^1.5 + (c k)^2)^nu]^(2/nu), a = 6.4/Gamma, b = 3/Gamma, c = 1.7/Gamma, nu = 1.13,
  // computed with Python's decimal numbers.
  EXPECT_NEAR(power(0.01) / power(0.1), 2.28632035165, 1e-6);
  EXPECT_NEAR(power(1) / power(0.1), 0.0165178008292, 1e-8);
  EXPECT_NEAR(power(30) / power(0.1), 2.37243252229e-06, 1e-11);
  p.n_s = 0.96;
  EXPECT_NEAR(LinearPower::efstathiou(p)(1) / LinearPower::efstathiou(p)(0.1), 0.0165178008292 * std::pow(10, -0.04),
              1e-8);
  p.shape_gamma = 0;
  EXPECT_EQ(LinearPower::of(p, "")(0.1), LinearPower::eisenstein_hu(p)(0.1));
}

/// Transfer functions of colossus' modelEisenstein98ZeroBaryon.
TEST(LinearPower, EisensteinHuWithoutWigglesHasItsShape) {
  CosmologyParameters p = benchmark_cosmology();
  const std::pair<double, double> table[] = {{1e-4, 0.99989946}, {0.01, 0.78620742},   {0.05, 0.27502763},
                                             {0.2, 0.05366751},  {1.0, 4.55592441e-3}, {10.0, 8.67666599e-5}};
  for (const auto& [k, t] : table) EXPECT_NEAR(eisenstein_hu_smooth_transfer(p, k) / t, 1, 1e-6) << "k = " << k;
  p.smooth_power = true;
  const LinearPower smooth = LinearPower::of(p, "");
  EXPECT_NEAR(smooth.sigma(8), 0.8, 1e-6);
  EXPECT_EQ(smooth(0.1), LinearPower::eisenstein_hu_smooth(p)(0.1));
  EXPECT_NE(smooth(0.1), LinearPower::eisenstein_hu(p)(0.1));
}

TEST(LinearPower, NormalisedToSigma8) {
  CosmologyParameters p = benchmark_cosmology();
  for (const double sigma8 : {0.5, 0.9}) {
    p.sigma8 = sigma8;
    EXPECT_NEAR(LinearPower::eisenstein_hu(p).sigma(8), sigma8, 1e-6);
    EXPECT_NEAR(LinearPower::from_file(class_table, p).sigma(8), sigma8, 1e-6);
  }
  p.sigma8 = 0;
  EXPECT_THROW(LinearPower::eisenstein_hu(p), InputError);
}

TEST(LinearPower, SigmaIsTheIntegralOverTopHats) {
  const LinearPower power = LinearPower::eisenstein_hu(benchmark_cosmology());
  for (const double radius : {0.01, 8.0}) {
    double variance = 0;
    const double step = 1e-4;
    for (double ln_k = std::log(1e-5); ln_k < std::log(300 / radius); ln_k += step) {
      const double k = std::exp(ln_k);
      const double window = 3 * std::sph_bessel(1, k * radius) / (k * radius);
      variance += step * k * k * k * power(k) / (2 * M_PI * M_PI) * window * window;
    }
    EXPECT_NEAR(power.sigma(radius) / std::sqrt(variance), 1, 1e-5);
  }
}

TEST(LinearPower, TransferHasItsLimits) {
  CosmologyParameters p = benchmark_cosmology();
  EXPECT_NEAR(EisensteinHu(p)(1e-5), 1, 1e-3);
  p.omega_b = 0;
  const EisensteinHu no_baryons(p);
  p.omega_b = 1e-5;
  const EisensteinHu few_baryons(p);
  for (const double k : {0.01, 0.1, 1.0}) EXPECT_NEAR(no_baryons(k) / few_baryons(k), 1, 1e-3);
}

TEST(LinearPower, PrimordialAmplitudeGivesPlanckSigma8) {
  CosmologyParameters p = class_cosmology();
  p.a_s = 2.105e-9;  // Planck 2018, table 2, with sigma8 = 0.811; the fit is good to a few percent
  EXPECT_NEAR(LinearPower::eisenstein_hu(p).sigma(8), 0.811, 0.025);
  const double amplitude = LinearPower::eisenstein_hu(p)(0.1);
  p.a_s *= 2;
  EXPECT_NEAR(LinearPower::eisenstein_hu(p)(0.1) / amplitude, 2, 1e-12);
}

TEST(LinearPower, ReadsClassTable) {
  const CosmologyParameters p = class_cosmology();
  const LinearPower power = LinearPower::from_file(class_table, p);
  // CLASS was normalised to the same sigma8, so the table's own numbers must come back, and the fit lies within
  // percents.
  EXPECT_NEAR(power(1.041781877740e-04) / 4.343564689584e+02, 1, 5e-4);
  EXPECT_NEAR(power(1.041781877740e-03) / 3.935724735428e+03, 1, 5e-4);
  const LinearPower fit = LinearPower::eisenstein_hu(p);
  for (const double k : {0.003, 0.02, 0.1, 0.5, 3.0}) EXPECT_NEAR(power(k) / fit(k), 1, 0.05) << k;
}

TEST(LinearPower, ContinuesAboveTheTableAndSaysSo) {
  const LinearPower power = LinearPower::from_file(class_table, class_cosmology());
  const LinearPower fit = LinearPower::eisenstein_hu(class_cosmology());
  const double end = 2.080770561987e+01;  // the last row
  EXPECT_NEAR(power(end * (1 + 1e-9)) / power(end * (1 - 1e-9)), 1, 1e-6);
  EXPECT_NEAR(power(100) / power(end), fit(100) / fit(end), 1e-9);
  EXPECT_EQ(power.warning(20), "");
  EXPECT_NE(power.warning(30).find("20.8077"), std::string::npos) << power.warning(30);
}

TEST(LinearPower, RefusesBoxesBeyondTheTable) {
  const TemporaryFile file("0.1 3\n0.2 2\n0.4 1\n0.8 0.5\n");
  const LinearPower power = LinearPower::from_file(file.path(), CosmologyParameters{});
  EXPECT_NO_THROW(power.require_box(60));
  try {
    power.require_box(100);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(file.path()), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("0.0628"), std::string::npos);
  }
}

TEST(LinearPower, ReadsCambTransferFunctions) {
  // P = 2 pi^2 A_s (k/k_p)^(n_s-1) k h^4 T7^2 (CAMB): the fit written as CAMB would must come back absolutely.
  CosmologyParameters p = class_cosmology();
  p.a_s = 2.1e-9;
  const LinearPower fit = LinearPower::eisenstein_hu(p);
  std::string text = "# k/h CDM baryon photon nu mass_nu total\n";
  for (int i = 0; i <= 200; ++i) {
    const double k = 1e-4 * std::pow(1e5, i / 200.0);
    const double transfer =
        std::sqrt(fit(k) / (2 * M_PI * M_PI * p.a_s * std::pow(k * p.h / 0.05, p.n_s - 1) * k)) / (p.h * p.h);
    char line[200];
    std::snprintf(line, sizeof line, " %.9e 1 2 3 4 5 %.9e 8 9 10 11 12 13\n", k, transfer);
    text += line;
  }
  const TemporaryFile file(text);
  for (const double k : {0.001, 0.05, 1.0}) {
    EXPECT_NEAR(LinearPower::from_file(file.path(), p)(k) / fit(k), 1, 1e-3);
  }
  p.a_s = 0;
  EXPECT_NEAR(LinearPower::from_file(file.path(), p)(0.05) / LinearPower::eisenstein_hu(p)(0.05), 1, 1e-3);
}

TEST(LinearPower, TableOfPowerKeepsItsAmplitudeWithPrimordialNormalisation) {
  CosmologyParameters p = class_cosmology();
  p.a_s = 2.105e-9;
  EXPECT_NEAR(LinearPower::from_file(class_table, p)(1.041781877740e-03), 3.935724735428e+03, 1e-6);
}

/// The fit as a table whose wavenumbers and powers are multiplied by factors.
std::string table_of(const LinearPower& fit, int rows, const char* format, double of_k = 1, double of_p = 1) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const double k = 1e-4 * std::pow(1e6, i / (rows - 1.0));
    char line[100];
    std::snprintf(line, sizeof line, format, k * of_k, fit(k) * of_p);
    text += line;
  }
  return text;
}

/// sigma8 is the integral over the rows, which rounding makes rough: few digits, few rows or very many.
TEST(LinearPower, TablesWithFewDigitsOrManyRows) {
  const CosmologyParameters p = benchmark_cosmology();
  CosmologyParameters absolute = p;
  absolute.a_s = 1e-9;  // the table as it is
  const LinearPower fit = LinearPower::eisenstein_hu_smooth(p);
  const std::tuple<int, const char*, double> tables[] = {{40, "%.9e %.9e\n", 2e-3},   {600, "%.9e %.3e\n", 1e-4},
                                                         {600, "%.9e %.1e\n", 1e-2},  {2000, "%.9e %.5e\n", 1e-5},
                                                         {2000, "%.3e %.2e\n", 2e-3}, {20000, "%.9e %.5e\n", 1e-5}};
  for (const auto& [rows, format, error] : tables) {
    const TemporaryFile file(table_of(fit, rows, format));
    EXPECT_NEAR(LinearPower::from_file(file.path(), absolute).sigma(8), 0.8, error) << rows << format;
    const LinearPower scaled = LinearPower::from_file(file.path(), p);
    EXPECT_NEAR(scaled.sigma(8), 0.8, 1e-12);
    EXPECT_NEAR(scaled(0.1) / fit(0.1), 1, 0.1);
    EXPECT_EQ(scaled.warning(1), "") << rows << format;
  }
}

/// The shape tells the unit of k; the amplitude that of P, or the redshift.
TEST(LinearPower, TablesInOtherUnitsAreWarnedOf) {
  const CosmologyParameters p = benchmark_cosmology();
  const LinearPower fit = LinearPower::eisenstein_hu(p);
  const auto warning = [&](double of_k, double of_p) {
    const TemporaryFile file(table_of(fit, 300, "%.6e %.6e\n", of_k, of_p));
    return LinearPower::from_file(file.path(), p).warning(0.01);
  };
  EXPECT_EQ(warning(1, 1), "");
  EXPECT_NE(warning(p.h, 1 / std::pow(p.h, 3)).find("if its wavenumbers are in 1/Mpc"), std::string::npos);
  EXPECT_NE(warning(1e-3, 1).find("if its wavenumbers are in h/kpc"), std::string::npos);
  EXPECT_NE(warning(1, 1 / std::pow(p.h, 3)).find("sigma8 is 1.70"), std::string::npos);
  EXPECT_NE(warning(1, 1e-3).find("it should be at z = 0"), std::string::npos);
}

/// Only what decides a power is stated of it.
TEST(LinearPower, StatesWhatItDependsOn) {
  CosmologyParameters p = benchmark_cosmology();
  EXPECT_EQ(LinearPower::of(p, "").facts(), (PowerFacts{{"n_s", 0.96}, {"omega_b", 0.05}, {"sigma8", 0.8}}));
  p.shape_gamma = 0.21;
  EXPECT_EQ(LinearPower::of(p, "").facts(), (PowerFacts{{"n_s", 0.96}, {"shape_gamma", 0.21}, {"sigma8", 0.8}}));
  p.shape_gamma = 0;
  p.a_s = 4e-9;
  PowerFacts facts = LinearPower::of(p, "").facts();
  EXPECT_NEAR(facts["sigma8_derived"], LinearPower::of(p, "").sigma(8), 1e-12);
  facts.erase("sigma8_derived");
  EXPECT_EQ(facts, (PowerFacts{{"n_s", 0.96}, {"omega_b", 0.05}, {"a_s", 4e-9}}));
  p.a_s = 0;
  const TemporaryFile file(table_of(LinearPower::of(p, ""), 300, "%.6e %.6e\n", 1, 0.25));
  const LinearPower table = LinearPower::of(p, file.path());
  ASSERT_EQ(table.facts().size(), 2U);
  EXPECT_EQ(table.facts().at("sigma8"), 0.8);
  EXPECT_NEAR(table.facts().at("table_scaled_by"), 4, 1e-4);
  EXPECT_NE(table.description().find("sigma8 = 0.8, " + file.path() + " times 4"), std::string::npos)
      << table.description();
  p.a_s = 2e-9;
  const LinearPower kept = LinearPower::of(p, file.path());
  ASSERT_EQ(kept.facts().size(), 1U);
  EXPECT_NEAR(kept.facts().at("sigma8_derived"), 0.4, 1e-4);
}

TEST(LinearPower, BadTablesNameFileAndLine) {
  EXPECT_NE(error_of("/nowhere/power.txt").find("/nowhere/power.txt"), std::string::npos);
  const auto expect_line = [](const std::string& text, const std::string& place) {
    const TemporaryFile file(text);
    const std::string message = error_of(file.path());
    EXPECT_NE(message.find(file.path() + place), std::string::npos) << "message: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  };
  expect_line("# k P\n1e-3 1\n2e-3 abc\n", ":3: 'abc'");
  expect_line("1e-3 1\n2e-3 nan\n", ":2: 'nan'");
  expect_line("1e-3 1\n2e-3 1.5x\n", ":2: '1.5x'");
  expect_line("1e-3 1\n3e-3 2\n2e-3 2\n4e-3 3\n", ":3: wavenumbers must rise");
  expect_line("1e-3 1\n2e-3 -2\n3e-3 3\n", ":2: wavenumber and power must be positive");
  expect_line("1e-3 1\n2e-3\n", ":2: 1 columns");
  expect_line("1e-3 1 1\n2e-3 1 1\n", ":1: 3 columns");
  expect_line("1e-3 1\n2e-3 1\n3e-3 1\n", ": 3 points");
  expect_line("", ": 0 points");
}

/// Found by fuzzing: integrals of such tables do not converge, or overflow.
TEST(LinearPower, TablesWithoutVarianceAreRefused) {
  for (const char* power : {"22e86", "1e300", "1e-300"}) {
    const TemporaryFile table("9e-4 " + std::string(power) + "\n1e-3 8000\n1e-2 2411\n10 6\n");
    EXPECT_NE(error_of(table.path()).find("sigma8"), std::string::npos) << power;
  }
}

}  // namespace
}  // namespace multiwalk
